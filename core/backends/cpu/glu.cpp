// The gated linear unit over whole arrays: cut into pieces of half blocks and shared among threads.
#include "backends/glu.hpp"

#include <algorithm>
#include <type_traits>

#include "backends/cpu/glu.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kPiece = 4096, kGrain = 16 * 1024;

template <class T>
const GluLoops<T>& loops() {
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

void value(const Glu& u) {
  with_kernel_type(u.dtype, [&]<class T>(T) {
    each_piece(u.blocks, u.half, [&](int64_t block, int64_t first, int64_t count) {
      const T* a = static_cast<const T*>(u.x) + 2 * block * u.half + first;
      loops<T>().forward(a, a + u.half, static_cast<T*>(u.y) + block * u.half + first, count);
    });
  });
}

void gradient(const GluGradient& u) {
  with_kernel_type(u.dtype, [&]<class T>(T) {
    each_piece(u.blocks, u.half, [&](int64_t block, int64_t first, int64_t count) {
      const T* g = static_cast<const T*>(u.g) + block * u.half + first;
      const T* a = static_cast<const T*>(u.x) + 2 * block * u.half + first;
      T* to = static_cast<T*>(u.gradient) + 2 * block * u.half + first;
      loops<T>().backward(g, a, a + u.half, to, to + u.half, count);
    });
  });
}

}  // namespace

constinit const GluKernels glu_kernels{{value}, {gradient}};

}  // namespace chainrule::cpu
