// Softmax over whole arrays: cut into rows or tiles of columns and shared among threads.
#include "backends/cpu/softmax.hpp"

#include <algorithm>
#include <cstring>

#include "backends/cpu/half_rows.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 256, kGrain = 16 * 1024;

const SoftmaxKernels& kernels(DType dtype) { return CR_DISPATCH(softmax_table)[dtype == DType::Float64]; }

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

void softmax_halves(DType dtype, const char* x, char* y, int64_t rows, int64_t n, bool logarithm) {
  const SoftmaxKernels& k = kernels(dtype);
  each_half_stretch(dtype, rows, n, [&](HalfRows& halves, int64_t at, int64_t count) {
    k.forward(halves.read(0, x + at, count * n), halves.target(1, y + at), n, 1, count, logarithm);
    halves.write(1, y + at, count * n);
  });
}

void softmax_gradient_halves(DType dtype, const char* g, const char* y, char* gradient, int64_t rows, int64_t n,
                             bool logarithm) {
  const SoftmaxKernels& k = kernels(dtype);
  each_half_stretch(dtype, rows, n, [&](HalfRows& halves, int64_t at, int64_t count) {
    const void *from = halves.read(0, g + at, count * n), *value = halves.read(1, y + at, count * n);
    k.backward(from, value, halves.target(2, gradient + at), n, 1, count, logarithm);
    halves.write(2, gradient + at, count * n);
  });
}

}  // namespace

void softmax(DType dtype, const void* x, void* y, int64_t outer, int64_t n, int64_t inner, bool logarithm) {
  if (size_of(dtype) == 2) {
    return softmax_halves(dtype, static_cast<const char*>(x), static_cast<char*>(y), outer, n, logarithm);
  }
  const SoftmaxKernels& k = kernels(dtype);
  each_tile(dtype, outer, n, inner, [&](int64_t at, int64_t width) {
    k.forward(static_cast<const char*>(x) + at, static_cast<char*>(y) + at, n, inner, width, logarithm);
  });
}

void softmax_gradient(DType dtype, const void* g, const void* y, void* gradient, int64_t outer, int64_t n,
                      int64_t inner, bool logarithm) {
  if (size_of(dtype) == 2) {
    return softmax_gradient_halves(dtype, static_cast<const char*>(g), static_cast<const char*>(y),
                                   static_cast<char*>(gradient), outer, n, logarithm);
  }
  const SoftmaxKernels& k = kernels(dtype);
  each_tile(dtype, outer, n, inner, [&](int64_t at, int64_t width) {
    k.backward(static_cast<const char*>(g) + at, static_cast<const char*>(y) + at, static_cast<char*>(gradient) + at, n,
               inner, width, logarithm);
  });
}

void log_total_of_exponentials(DType dtype, const void* x, void* out, int64_t rows, int64_t n) {
  const SoftmaxKernels& k = kernels(dtype);
  auto item = static_cast<int64_t>(size_of(dtype));
  parallel_for(rows, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      k.log_total(static_cast<const char*>(x) + i * n * item, static_cast<char*>(out) + i * item, n);
  });
}

namespace {

struct CrossEntropyRows {
  DType dtype;
  const char *x, *log_totals, *scales;
  const int64_t* target;
  int64_t n, item;

  // Columns [first, first + count) of a row, written to `to`.
  void columns(int64_t row, int64_t first, int64_t count, char* to) const {
    kernels(dtype).scaled(x + (row * n + first) * item, log_totals + row * item, scales + row * item, to, count);
    int64_t at = target[row] - first;
    if (at < 0 || at >= count) return;
    if (dtype == DType::Float64)
      reinterpret_cast<double*>(to)[at] -= reinterpret_cast<const double*>(scales)[row];
    else
      reinterpret_cast<float*>(to)[at] -= reinterpret_cast<const float*>(scales)[row];
  }
  bool is_zero(int64_t row) const {
    return dtype == DType::Float64 ? reinterpret_cast<const double*>(scales)[row] == 0
                                   : reinterpret_cast<const float*>(scales)[row] == 0;
  }
  // By tiles in the first-level cache; see Note [Streaming stores].
  void stream(int64_t row, char* out) const {
    alignas(64) char tile[kStreamTile];
    int64_t step = kStreamTile / item;
    for (int64_t first = 0; first < n; first += step) {
      int64_t count = std::min(step, n - first);
      columns(row, first, count, tile);
      CR_DISPATCH(stream_copy)(out + first * item, tile, count * item);
    }
  }
};

}  // namespace

void cross_entropy_gradient(DType dtype, const void* x, const void* log_totals, const void* scales,
                            const int64_t* target, void* out, int64_t rows, int64_t n) {
  auto item = static_cast<int64_t>(size_of(dtype));
  CrossEntropyRows r{dtype,
                     static_cast<const char*>(x),
                     static_cast<const char*>(log_totals),
                     static_cast<const char*>(scales),
                     target,
                     n,
                     item};
  auto* to = static_cast<char*>(out);
  bool streams =
      rows * n * item >= thresholds.stream && n * item % 64 == 0 && reinterpret_cast<uintptr_t>(out) % 64 == 0;
  parallel_for(rows, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* row = to + i * n * item;
      if (r.is_zero(i))
        std::memset(row, 0, static_cast<size_t>(n * item));
      else if (streams)
        r.stream(i, row);
      else
        r.columns(i, 0, n, row);
    }
    if (streams) CR_DISPATCH(stream_fence)();
  });
}

}  // namespace chainrule::cpu
