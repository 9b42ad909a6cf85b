#include "backends/cuda/cudnn_convolution.hpp"

#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "backends/cuda/cudnn.hpp"
#include "backends/cuda/determinism.hpp"
#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {
namespace {

// What decides a plan; no bytes lie between the fields.
struct Key {
  ConvolutionShape shape;
  int64_t pass, dtype, device, tf32, deterministic, alignment, channels_last;
  bool operator==(const Key& k) const { return std::memcmp(this, &k, sizeof k) == 0; }
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    static_assert(std::has_unique_object_representations_v<Key>);
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof k});
  }
};

int64_t alignment_of(const Convolution& c) {
  const auto places =
      reinterpret_cast<uintptr_t>(c.a) | reinterpret_cast<uintptr_t>(c.b) | reinterpret_cast<uintptr_t>(c.out);
  int64_t alignment = 16;
  while (places % static_cast<uintptr_t>(alignment) != 0) alignment /= 2;
  return alignment;
}

// Elements behind the input that the last window still reads; more than asked for where "same" needs an odd number.
int64_t padding_after(const ConvolutionShape& s, size_t d) {
  const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
  const int64_t usual = (s.in[d] + 2 * s.padding[d] - reach) / s.stride[d] + 1;
  return usual == s.out[d] ? s.padding[d] : (s.out[d] - 1) * s.stride[d] + reach - s.in[d] - s.padding[d];
}

std::unique_ptr<CudnnPlan> build(const Key& k) {
  const ConvolutionShape& s = k.shape;
  const auto dtype = static_cast<DType>(k.dtype);
  const bool is_flat = s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.padding[0] == 0;
  CudnnGraph::Sizes image{s.batch, s.groups * s.in_channels}, filter{s.groups * s.out_channels, s.in_channels},
      result{s.batch, s.groups * s.out_channels};
  CudnnGraph::Window window;
  for (size_t d = is_flat ? 1 : 0; d < 3; ++d) {
    image.push_back(s.in[d]);
    filter.push_back(s.kernel[d]);
    result.push_back(s.out[d]);
    window.stride.push_back(s.stride[d]);
    window.dilation.push_back(s.dilation[d]);
    window.before.push_back(s.padding[d]);
    window.after.push_back(padding_after(s, d));
  }
  CudnnGraph graph(k.alignment);
  const auto tensor = [&](const CudnnGraph::Sizes& sizes) { return graph.tensor(dtype, sizes, k.channels_last); };
  // In the order in which a Convolution has them: a, b and what comes out.
  switch (static_cast<ConvolutionPass>(k.pass)) {
    case ConvolutionPass::Value: {
      void *x = tensor(image), *w = tensor(filter), *y = tensor(result);
      graph.convolve(CudnnGraph::Product::Value, dtype, window, w, x, y);
      break;
    }
    case ConvolutionPass::InputGradient: {
      void *g = tensor(result), *w = tensor(filter), *dx = tensor(image);
      graph.convolve(CudnnGraph::Product::InputGradient, dtype, window, w, dx, g);
      break;
    }
    case ConvolutionPass::WeightGradient: {
      void *g = tensor(result), *x = tensor(image), *dw = tensor(filter);
      graph.convolve(CudnnGraph::Product::WeightGradient, dtype, window, dw, x, g);
    }
  }
  unsigned unwanted = CudnnGraph::kDownConvert;
  if (dtype == DType::Float32 && !k.tf32) unwanted |= CudnnGraph::kTensorCore;
  if (k.deterministic) unwanted |= CudnnGraph::kNotDeterministic;
  return graph.finish(unwanted);
}

// Plans are kept, and refusals as null ones; a program that goes on asking for new shapes begins anew.
const CudnnPlan* plan_of(const Key& key) {
  static std::unordered_map<Key, std::unique_ptr<CudnnPlan>, KeyHash>& plans =
      *new std::unordered_map<Key, std::unique_ptr<CudnnPlan>, KeyHash>;
  constexpr size_t kMostPlans = 4096;
  if (const auto found = plans.find(key); found != plans.end()) return found->second.get();
  if (plans.size() >= kMostPlans) plans.clear();
  std::unique_ptr<CudnnPlan>& place = plans[key];
  try {
    place = build(key);
  } catch (const CudnnRefusal&) {  // null, then
  }
  return place.get();
}

// The library counts elements in 32 bits.
bool is_countable(const ConvolutionShape& s) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  const int64_t images = s.batch * s.groups;
  return images * s.in_channels * s.in_pixels() <= most && images * s.out_channels * s.out_pixels() <= most &&
         s.groups * s.out_channels * s.weight_columns() <= most && s.weight_columns() > 0 && images > 0;
}

}  // namespace

bool cudnn_convolution(ConvolutionPass pass, const Convolution& c) {
  if (!cudnn_flags.enabled || !is_countable(c.shape) || cudnn_version() == 0) return false;
  const Key key{c.shape,
                static_cast<int64_t>(pass),
                static_cast<int64_t>(c.dtype),
                current_device(),
                cudnn_flags.tf32,
                cudnn_flags.deterministic || only_deterministic,
                alignment_of(c),
                c.channels_last};
  const CudnnPlan* plan = plan_of(key);
  if (!plan) return false;
  void* const tensors[] = {const_cast<void*>(c.a), const_cast<void*>(c.b), c.out};
  plan->run(tensors);
  return true;
}

}  // namespace chainrule::cuda
