// The gated linear unit over whole arrays: cut into pieces of half blocks and shared among threads.
#include "backends/cpu/glu.hpp"

#include <algorithm>
#include <type_traits>

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kPiece = 4096, kGrain = 16 * 1024;

template <class T>
const GluKernels<T>& kernels() {
  if constexpr (std::is_same_v<T, double>)
    return CR_DISPATCH(glu_double);
  else
    return CR_DISPATCH(glu_float);
}

// Calls each(block, first, count) for every piece of half a block.
template <class Each>
void each_piece(int64_t blocks, int64_t half, Each each) {
  int64_t pieces = (half + kPiece - 1) / kPiece, work = std::max<int64_t>(1, std::min(half, kPiece));
  parallel_for(blocks * pieces, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % pieces * kPiece;
      each(i / pieces, first, std::min(kPiece, half - first));
    }
  });
}

}  // namespace

template <class T>
void glu(const T* x, T* y, int64_t blocks, int64_t half) {
  each_piece(blocks, half, [&](int64_t block, int64_t first, int64_t count) {
    const T* a = x + 2 * block * half + first;
    kernels<T>().forward(a, a + half, y + block * half + first, count);
  });
}

template <class T>
void glu_gradient(const T* g, const T* x, T* gradient, int64_t blocks, int64_t half) {
  each_piece(blocks, half, [&](int64_t block, int64_t first, int64_t count) {
    const T* a = x + 2 * block * half + first;
    T* to = gradient + 2 * block * half + first;
    kernels<T>().backward(g + block * half + first, a, a + half, to, to + half, count);
  });
}

template void glu<float>(const float*, float*, int64_t, int64_t);
template void glu<double>(const double*, double*, int64_t, int64_t);
template void glu_gradient<float>(const float*, const float*, float*, int64_t, int64_t);
template void glu_gradient<double>(const double*, const double*, double*, int64_t, int64_t);

}  // namespace chainrule::cpu
