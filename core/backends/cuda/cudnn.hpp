// cuDNN's graphs of operations by its plain C interface: declared by hand, and opened when the first is asked for.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/dtype.hpp"

namespace chainrule::cuda {

// torch.backends.cudnn: whether it is used, whether factors may lose digits for speed, and whether the same numbers
// have to come out every time.
struct CudnnFlags {
  bool enabled = true, tf32 = true, deterministic = false;
};
extern CudnnFlags cudnn_flags;

int64_t cudnn_version();  // 0: there is none

// What a graph became: it runs on the device that it was made for.
class CudnnPlan {
 public:
  CudnnPlan(void* descriptor, size_t workspace, std::vector<int64_t> ids)
      : descriptor_(descriptor), workspace_(workspace), ids_(std::move(ids)) {}
  ~CudnnPlan();
  CudnnPlan(const CudnnPlan&) = delete;
  void run(std::span<void* const> tensors) const;  // in the order in which the graph's were made

 private:
  void* descriptor_;
  size_t workspace_;
  std::vector<int64_t> ids_;
};

// cuDNN has no way of doing it, or refuses it.
struct CudnnRefusal {
  int status;
};

// What is to be computed, tensor by tensor. What is refused is thrown, as a CudnnRefusal.
class CudnnGraph {
 public:
  explicit CudnnGraph(int64_t alignment) : alignment_(alignment) {}  // bytes, of every address
  ~CudnnGraph();
  CudnnGraph(const CudnnGraph&) = delete;

  using Sizes = std::vector<int64_t>;
  // Contiguous, or with the second dimension, that of channels, innermost.
  void* tensor(DType dtype, const Sizes& sizes, bool channels_last);

  enum class Product { Value, InputGradient, WeightGradient };
  struct Window {
    Sizes stride, dilation, before, after;
  };
  // Of filter and image to `out`, or of the gradient in the place of one of them.
  void convolve(Product product, DType dtype, const Window& window, void* filter, void* image, void* out);

  // The first way that the library proposes without anything unwanted.
  std::unique_ptr<CudnnPlan> finish(unsigned unwanted);
  enum Note : unsigned { kTensorCore = 1 << 0, kDownConvert = 1 << 1, kNotDeterministic = 1 << 4 };

 private:
  void* create(int kind);
  void* finished(void* descriptor);
  std::vector<void*> proposals(void* graph, int mode);
  std::unique_ptr<CudnnPlan> plan_of(void* proposal, unsigned unwanted);

  int64_t alignment_;
  std::vector<void*> made_, operations_;
  std::vector<int64_t> ids_;
};

}  // namespace chainrule::cuda
