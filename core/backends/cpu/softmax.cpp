// Softmax over whole arrays: cut into rows or tiles of columns and shared among threads.
#include "backends/softmax.hpp"

#include <algorithm>

#include "backends/cpu/half_rows.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/softmax.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 256, kGrain = 16 * 1024;

const SoftmaxLoops& loops(DType dtype) { return CR_DISPATCH(softmax_table)[dtype == DType::Float64]; }

// Calls each(byte offset, width) for stretches of rows or tiles of columns.
template <class Each>
void each_tile(DType dtype, int64_t outer, int64_t n, int64_t inner, Each each) {
  auto item = static_cast<int64_t>(size_of(dtype));
  if (inner == 1) {
    parallel_for(outer, std::max<int64_t>(1, kGrain / n),
                 [&](int64_t begin, int64_t end) { each(begin * n * item, end - begin); });
    return;
  }
  int64_t tiles = (inner + kTile - 1) / kTile, work = n * std::min(inner, kTile);
  parallel_for(outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % tiles * kTile;
      each((i / tiles * n * inner + first) * item, std::min(kTile, inner - first));
    }
  });
}

// Calls each(halves, byte offset, rows) for stretches of rows of halves.
template <class Each>
void each_half_stretch(DType dtype, int64_t rows, int64_t n, Each each) {
  const auto item = static_cast<int64_t>(size_of(dtype));
  const int64_t together = std::max<int64_t>(1, kGrain / 2 / n);
  parallel_for(rows, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    HalfRows halves(dtype, std::min(together, end - begin) * n, 3);
    for (int64_t i = begin; i < end; i += together) each(halves, i * n * item, std::min(together, end - i));
  });
}

void of_halves(const Softmax& s) {
  const SoftmaxLoops& l = loops(s.dtype);
  each_half_stretch(s.dtype, s.outer, s.n, [&](HalfRows& halves, int64_t at, int64_t count) {
    char* y = static_cast<char*>(s.y) + at;
    const void* x = halves.read(0, static_cast<const char*>(s.x) + at, count * s.n);
    l.forward(x, halves.target(1, y), s.n, 1, count, s.logarithm);
    halves.write(1, y, count * s.n);
  });
}

void of_halves(const SoftmaxGradient& s) {
  const SoftmaxLoops& l = loops(s.dtype);
  each_half_stretch(s.dtype, s.outer, s.n, [&](HalfRows& halves, int64_t at, int64_t count) {
    char* gradient = static_cast<char*>(s.gradient) + at;
    const void* g = halves.read(0, static_cast<const char*>(s.g) + at, count * s.n);
    const void* y = halves.read(1, static_cast<const char*>(s.y) + at, count * s.n);
    l.backward(g, y, halves.target(2, gradient), s.n, 1, count, s.logarithm);
    halves.write(2, gradient, count * s.n);
  });
}

void value(const Softmax& s) {
  if (size_of(s.dtype) == 2) return of_halves(s);
  const SoftmaxLoops& l = loops(s.dtype);
  each_tile(s.dtype, s.outer, s.n, s.inner, [&](int64_t at, int64_t width) {
    l.forward(static_cast<const char*>(s.x) + at, static_cast<char*>(s.y) + at, s.n, s.inner, width, s.logarithm);
  });
}

void gradient(const SoftmaxGradient& s) {
  if (size_of(s.dtype) == 2) return of_halves(s);
  const SoftmaxLoops& l = loops(s.dtype);
  each_tile(s.dtype, s.outer, s.n, s.inner, [&](int64_t at, int64_t width) {
    l.backward(static_cast<const char*>(s.g) + at, static_cast<const char*>(s.y) + at,
               static_cast<char*>(s.gradient) + at, s.n, s.inner, width, s.logarithm);
  });
}

}  // namespace

constinit const SoftmaxKernels softmax_kernels{{value}, {gradient}};

}  // namespace chainrule::cpu
