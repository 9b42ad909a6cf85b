// Loops over the entries of sparse matrices: short rows of numbers, taken by blocks that stay in registers.
#include <algorithm>
#include <cmath>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/sparse_rows.hpp"
#include "backends/cpu/stream.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
}  // namespace number

namespace {

constexpr int64_t kAhead = 12;  // entries; their rows come in no order that the processor could foresee

template <class T>
void fetch(const T* row, int64_t width) {
  fetch_ahead(reinterpret_cast<const char*>(row), std::min<int64_t>(width * static_cast<int64_t>(sizeof(T)), 512));
}

// Calls f(T{}, I{}) for the dtype and for the width of the indices.
template <class F>
void with_types(DType dtype, bool narrow, F f) {
  with_kernel_type(dtype, [&]<class T>(T t) { narrow ? f(t, int32_t{}) : f(t, int64_t{}); });
}

// to[j] = the sum over entries of value * from[column][j], for a block whose sums stay in registers.
template <int block, class T, class I>
void multiply_block(const I* columns, const T* values, int64_t n, const T* from, int64_t width, T* to) {
  T sums[block] = {};
  for (int64_t k = 0; k < n; ++k) {
    const T* row = from + static_cast<int64_t>(columns[k]) * width;
    const T value = values[k];
#pragma GCC unroll 64
    for (int j = 0; j < block; ++j) sums[j] = number::fma(value, row[j], sums[j]);
  }
  for (int j = 0; j < block; ++j) to[j] = sums[j];
}

template <class T, class I>
void multiply_row(const I* columns, const T* values, int64_t n, const T* from, int64_t width, T* to) {
  constexpr int wide = 256 / sizeof(T), narrow = 64 / sizeof(T);
  int64_t j = 0;
  for (; j + wide <= width; j += wide) multiply_block<wide>(columns, values, n, from + j, width, to + j);
  for (; j + narrow <= width; j += narrow) multiply_block<narrow>(columns, values, n, from + j, width, to + j);
  for (; j + 4 <= width; j += 4) multiply_block<4>(columns, values, n, from + j, width, to + j);
  for (; j < width; ++j) multiply_block<1>(columns, values, n, from + j, width, to + j);
}

template <class T, class I>
void multiply_rows(const SparseProduct& p, int64_t begin, int64_t end) {
  const I *starts = static_cast<const I*>(p.rows.starts), *columns = static_cast<const I*>(p.rows.columns);
  const T *values = static_cast<const T*>(p.values), *from = static_cast<const T*>(p.from);
  const int64_t last = starts[end];
  for (int64_t r = begin; r < end; ++r) {
    const int64_t first = starts[r], n = starts[r + 1] - first;
    for (int64_t k = first + kAhead; k < std::min(first + n + kAhead, last); ++k)
      fetch(from + static_cast<int64_t>(columns[k]) * p.width, p.width);
    multiply_row(columns + first, values + first, n, from, p.width, static_cast<T*>(p.to) + r * p.width);
  }
}

template <class T>
void add_row(T* to, const T* from, T factor, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) to[j] = number::fma(factor, from[j], to[j]);
}

template <class T, class I>
void multiply_columns(const SparseProduct& p, int64_t begin, int64_t end) {
  const I *starts = static_cast<const I*>(p.rows.starts), *columns = static_cast<const I*>(p.rows.columns);
  const T *values = static_cast<const T*>(p.values), *from = static_cast<const T*>(p.from);
  T* to = static_cast<T*>(p.to);
  const int64_t n = end - begin, last = starts[p.rows.count];
  for (int64_t c = 0; c < p.rows.width; ++c) std::fill(to + c * p.width + begin, to + c * p.width + end, T(0));
  for (int64_t r = 0; r < p.rows.count; ++r) {
    for (int64_t k = starts[r]; k < starts[r + 1]; ++k) {
      if (k + kAhead < last) fetch(to + static_cast<int64_t>(columns[k + kAhead]) * p.width + begin, n);
      add_row(to + static_cast<int64_t>(columns[k]) * p.width + begin, from + r * p.width + begin, values[k], n);
    }
  }
}

// The sum of products, in an order that depends on nothing but the width.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  constexpr int lanes = 64 / sizeof(T);
  T sums[lanes] = {};
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
#pragma GCC unroll 64
    for (int i = 0; i < lanes; ++i) sums[i] = number::fma(a[j + i], b[j + i], sums[i]);
  }
  T rest = 0;
  for (; j < n; ++j) rest = number::fma(a[j], b[j], rest);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0] + rest;
}

template <class T, class I>
void sample_rows(const SparseSample& s, int64_t begin, int64_t end) {
  const I *starts = static_cast<const I*>(s.rows.starts), *columns = static_cast<const I*>(s.rows.columns);
  const T *left = static_cast<const T*>(s.left), *right = static_cast<const T*>(s.right);
  T* values = static_cast<T*>(s.values);
  const int64_t last = starts[end];
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t k = starts[r]; k < starts[r + 1]; ++k) {
      if (k + kAhead < last) fetch(right + static_cast<int64_t>(columns[k + kAhead]) * s.width, s.width);
      values[k] = dot(left + r * s.width, right + static_cast<int64_t>(columns[k]) * s.width, s.width);
    }
  }
}

template <class T>
void add_rows(const SparseAddition& a, int64_t begin, int64_t end) {
  const SparseUpdate& u = a.update;
  T* table = static_cast<T*>(u.table);
  const bool all = begin == 0 && end == u.count;
  for (int64_t i = 0; i < u.n; ++i) {
    if (all && i + kAhead < u.n) fetch(table + u.rows[i + kAhead] * u.width, u.width);
    if (u.rows[i] < begin || u.rows[i] >= end) continue;
    add_row(table + u.rows[i] * u.width, static_cast<const T*>(u.values) + i * u.width, static_cast<T>(a.factor),
            u.width);
  }
}

template <class T>
void sum_runs(const SparseRunSums& s, int64_t begin, int64_t end) {
  const T* from = static_cast<const T*>(s.from);
  for (int64_t run = begin; run < end; ++run) {
    const int64_t last = run + 1 < s.runs ? s.starts[run + 1] : s.n;
    T* to = static_cast<T*>(s.to) + run * s.width;
    std::copy_n(from + s.order[s.starts[run]] * s.width, s.width, to);
    for (int64_t i = s.starts[run] + 1; i < last; ++i) {
      const T* row = from + s.order[i] * s.width;
      for (int64_t j = 0; j < s.width; ++j) to[j] += row[j];
    }
  }
}

// One row: PyTorch's roundings, which come from averages that are changed by the difference to the gradient.
template <class T>
void adam_row(T* p, T* m, T* v, const T* g, int64_t n, T share1, T share2, T eps, T step, T sign) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const T gradient = sign * g[j];
    const T by1 = (gradient - m[j]) * share1, by2 = (gradient * gradient - v[j]) * share2;
    const T average = by1 + m[j], square = by2 + v[j];
    m[j] = average;
    v[j] = square;
    p[j] -= step * (average / (std::sqrt(square) + eps));
  }
}

template <class T>
void adam_rows(const SparseAdam& s, int64_t begin, int64_t end) {
  const SparseUpdate& u = s.update;
  auto* table = static_cast<T*>(u.table);
  auto *averages = static_cast<T*>(s.averages), *squares = static_cast<T*>(s.squares);
  for (int64_t i = begin; i < end; ++i) {
    if (i + 4 < end) {
      const int64_t next = u.rows[i + 4] * u.width;
      for (T* of : {table, averages, squares}) fetch(of + next, u.width);
    }
    const int64_t at = u.rows[i] * u.width;
    adam_row(table + at, averages + at, squares + at, static_cast<const T*>(u.values) + i * u.width, u.width,
             static_cast<T>(1 - s.beta1), static_cast<T>(1 - s.beta2), static_cast<T>(s.eps), static_cast<T>(s.step),
             static_cast<T>(s.maximize ? -1 : 1));
  }
}

}  // namespace

void multiply_sparse_rows(const SparseProduct& p, int64_t begin, int64_t end) {
  with_types(p.dtype, p.rows.narrow, [&]<class T, class I>(T, I) { multiply_rows<T, I>(p, begin, end); });
}
void multiply_transposed_columns(const SparseProduct& p, int64_t begin, int64_t end) {
  with_types(p.dtype, p.rows.narrow, [&]<class T, class I>(T, I) { multiply_columns<T, I>(p, begin, end); });
}
void sample_sparse_rows(const SparseSample& s, int64_t begin, int64_t end) {
  with_types(s.dtype, s.rows.narrow, [&]<class T, class I>(T, I) { sample_rows<T, I>(s, begin, end); });
}
void add_sparse_rows(const SparseAddition& a, int64_t begin, int64_t end) {
  with_kernel_type(a.update.dtype, [&]<class T>(T) { add_rows<T>(a, begin, end); });
}
void sum_sparse_runs(const SparseRunSums& s, int64_t begin, int64_t end) {
  with_kernel_type(s.dtype, [&]<class T>(T) { sum_runs<T>(s, begin, end); });
}
void adam_sparse_rows(const SparseAdam& s, int64_t begin, int64_t end) {
  with_kernel_type(s.update.dtype, [&]<class T>(T) { adam_rows<T>(s, begin, end); });
}

}  // namespace chainrule::cpu::CR_ISA
