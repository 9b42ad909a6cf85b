#include "backends/count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct CountTask {
  const void* x;
  int64_t n;
  const void* weights;
  void* to;
  int64_t *low, *high;
};

struct HistogramTask {
  const void* x;
  int64_t n;
  double first, last;
  int64_t bins, *counts;
  void* to;
};

void run(const char* entry, DType dtype, const char* weights, int64_t blocks, const CountTask& task) {
  KernelText text("count.cuh", entry);
  text.with("atomic.cuh").element(dtype).type("W", weights).run({blocks}, kThreads, task);
}

int64_t* zeros(const Scratch& room, int64_t count) {
  CUDA_CALL(set_bytes, address(room.data()), 0, static_cast<size_t>(count) * sizeof(int64_t), current_stream());
  return reinterpret_cast<int64_t*>(room.data());
}

void extent(const IntegerExtent& e) {
  int64_t found[2] = {};
  if (e.n > 0) {
    const Scratch room(sizeof found);
    int64_t* ends = zeros(room, 2);
    run("extent", e.dtype, "int64_t", blocks_for_loop(e.n), {.x = e.x, .n = e.n, .low = ends, .high = ends + 1});
    read(found, ends, sizeof found);
  }
  *e.low = found[0];
  *e.high = found[1];
}

void bins(const BinCount& b) {
  if (b.n == 0) return;
  run("bins", b.dtype, b.weights ? storage_type(b.weight_dtype) : "int64_t", blocks_for_loop(b.n),
      {.x = b.x, .n = b.n, .weights = b.weights, .to = b.to});
}

// A number so large that one more or less is the same number: the numbers beside it are the limits.
template <class T>
void part(double& low, double& high) {
  constexpr T kMost = std::numeric_limits<T>::max(), kInfinity = std::numeric_limits<T>::infinity();
  low = static_cast<T>(low);
  high = static_cast<T>(high);
  if (low != high) return;
  low = std::max(std::nextafter(static_cast<T>(low), -kInfinity), -kMost);
  high = std::min(std::nextafter(static_cast<T>(high), kInfinity), kMost);
}

void histogram(const Histogram& h) {
  if (h.bins == 0) return;
  double low = h.low, high = h.high;
  if (h.dtype == DType::Float32) part<float>(low, high);
  if (h.dtype == DType::Float64) part<double>(low, high);
  const Scratch room(static_cast<size_t>(h.bins) * sizeof(int64_t));
  const HistogramTask task{h.x, h.n, low, high, h.bins, zeros(room, h.bins), h.to};
  const auto text = [&](const char* entry) { return KernelText("histogram.cuh", entry).element(h.dtype); };
  if (h.n > 0) text("histogram").run({blocks_for_loop(h.n)}, kThreads, task);
  text("convert").run({blocks_for(h.bins)}, kThreads, task);
}

}  // namespace

const CountKernels count_kernels{.extent = {extent}, .bins = {bins}, .histogram = {histogram}};

}  // namespace chainrule::cuda
