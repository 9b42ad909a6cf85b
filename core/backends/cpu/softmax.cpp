// Softmax over whole arrays: cut into rows or tiles of columns and shared among threads.
#include "backends/cpu/softmax.hpp"

#include <algorithm>

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 256, kGrain = 16 * 1024;

const SoftmaxKernels& kernels(DType dtype) { return CR_DISPATCH(softmax_table)[dtype == DType::Float64]; }

// Calls each(byte offset, width) for every row or tile of columns.
template <class Each>
void each_tile(DType dtype, int64_t outer, int64_t n, int64_t inner, Each each) {
  auto item = static_cast<int64_t>(size_of(dtype));
  int64_t tiles = (inner + kTile - 1) / kTile, work = n * std::min(inner, kTile);
  parallel_for(outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % tiles * kTile;
      each((i / tiles * n * inner + first) * item, std::min(kTile, inner - first));
    }
  });
}

}  // namespace

void softmax(DType dtype, const void* x, void* y, int64_t outer, int64_t n, int64_t inner, bool logarithm) {
  const SoftmaxKernels& k = kernels(dtype);
  each_tile(dtype, outer, n, inner, [&](int64_t at, int64_t width) {
    k.forward(static_cast<const char*>(x) + at, static_cast<char*>(y) + at, n, inner, width, logarithm);
  });
}

void softmax_gradient(DType dtype, const void* g, const void* y, void* gradient, int64_t outer, int64_t n,
                      int64_t inner, bool logarithm) {
  const SoftmaxKernels& k = kernels(dtype);
  each_tile(dtype, outer, n, inner, [&](int64_t at, int64_t width) {
    k.backward(static_cast<const char*>(g) + at, static_cast<const char*>(y) + at, static_cast<char*>(gradient) + at, n,
               inner, width, logarithm);
  });
}

}  // namespace chainrule::cpu
