// Softmax, its logarithm and their gradients, row by row or a tile of columns at a time.
#include "backends/cpu/softmax.hpp"

#include "backends/cpu/fold.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
//
#include "backends/cpu/scalar/exponential.hpp"
}  // namespace number

constexpr int64_t kTile = 256;  // columns that advance together
constexpr int64_t kRowsPerBlock = 64;

// ---- rows

template <class T>
CR_INLINE T maximum(const T* x, int64_t n) {
  return fold_row(ExtremeFold<T, true>{}, x, n);
}

// Writes exp(x - top) and returns its sum; `y` may be null, then only the sum is made.
template <class T>
CR_INLINE Wide<T> exponentials(const T* x, T* y, int64_t n, T top) {
  Wide<T> total = 0;
  alignas(64) T buffer[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = smaller(kBlock, n - i);
    T* out = y ? y + i : buffer;
    const T* in = x + i;
#pragma GCC ivdep
    for (int64_t k = 0; k < count; ++k) out[k] = number::exp(in[k] - top);
    total += fold_vectors(SumFold<T>{}, out, count);
  }
  return total;
}

template <class T>
void softmax_row(const T* x, T* y, int64_t n, bool logarithm) {
  T top = maximum(x, n);
  if (logarithm) {
    T log_total = T(number::log(exponentials(x, static_cast<T*>(nullptr), n, top)));
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - top) - log_total;
  } else {
    T share = T(1 / exponentials(x, y, n, top));
    for (int64_t i = 0; i < n; ++i) y[i] *= share;
  }
}

template <class T>
void gradient_row(const T* g, const T* y, T* out, int64_t n, bool logarithm) {
  if (logarithm) {
    T total = T(fold_row(SumFold<T>{}, g, n));
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = g[i] - number::exp(y[i]) * total;
    return;
  }
  Wide<T> total = 0;
  alignas(64) T products[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = smaller(kBlock, n - i);
    for (int64_t k = 0; k < count; ++k) products[k] = g[i + k] * y[i + k];
    total += fold_vectors(SumFold<T>{}, products, count);
  }
  T weighted = T(total);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = y[i] * (g[i] - weighted);
}

// ---- short rows: several at a time, for a loop over one of them ends in single elements that take longest

constexpr int64_t kShortRow = 128;

template <class T>
CR_INLINE void exponentials_of(const T* x, T* y, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = number::exp(x[i]);
}

// At most kBlock elements; the same steps as softmax_row.
template <class T>
void softmax_short_rows(const T* x, T* y, int64_t rows, int64_t n, bool logarithm) {
  alignas(64) T buffer[kBlock], shares[kBlock];
  Wide<T> totals[kBlock];
  for (int64_t r = 0; r < rows; ++r) {
    const T top = maximum(x + r * n, n);
    for (int64_t i = r * n; i < (r + 1) * n; ++i) y[i] = x[i] - top;
  }
  T* powers = logarithm ? buffer : y;
  exponentials_of(y, powers, rows * n);
  for (int64_t r = 0; r < rows; ++r) totals[r] = fold_vectors(SumFold<T>{}, powers + r * n, n);
  for (int64_t r = 0; r < rows; ++r) shares[r] = logarithm ? T(number::log(totals[r])) : T(1 / totals[r]);
  for (int64_t r = 0; r < rows; ++r) {
    const T share = shares[r];
    T* row = y + r * n;
    if (logarithm)
      for (int64_t i = 0; i < n; ++i) row[i] = row[i] - share;
    else
      for (int64_t i = 0; i < n; ++i) row[i] *= share;
  }
}

template <class T>
void log_gradient_short_rows(const T* g, const T* y, T* out, int64_t rows, int64_t n) {
  alignas(64) T powers[kBlock];
  exponentials_of(y, powers, rows * n);
  for (int64_t r = 0; r < rows; ++r) {
    const T total = T(fold_row(SumFold<T>{}, g + r * n, n));
#pragma GCC ivdep
    for (int64_t i = r * n; i < (r + 1) * n; ++i) out[i] = g[i] - powers[i] * total;
  }
}

template <class T>
void softmax_rows(const T* x, T* y, int64_t rows, int64_t n, bool logarithm) {
  const int64_t together = n <= kShortRow ? kBlock / n : 1;
  for (int64_t r = 0; r < rows; r += together) {
    if (together > 1)
      softmax_short_rows(x + r * n, y + r * n, smaller(together, rows - r), n, logarithm);
    else
      softmax_row(x + r * n, y + r * n, n, logarithm);
  }
}

template <class T>
void gradient_rows(const T* g, const T* y, T* out, int64_t rows, int64_t n, bool logarithm) {
  const int64_t together = logarithm && n <= kShortRow ? kBlock / n : 1;
  for (int64_t r = 0; r < rows; r += together) {
    if (together > 1)
      log_gradient_short_rows(g + r * n, y + r * n, out + r * n, smaller(together, rows - r), n);
    else
      gradient_row(g + r * n, y + r * n, out + r * n, n, logarithm);
  }
}

// ---- columns

// Adds up each(row, column) down every column: in T within a block of rows, in the wide type beyond.
template <class T, class Each>
CR_INLINE void column_totals(int64_t n, int64_t width, Wide<T>* totals, Each each) {
  alignas(64) T partial[kTile];
  for (int64_t j = 0; j < width; ++j) totals[j] = 0;
  for (int64_t r = 0; r < n; r += kRowsPerBlock) {
    for (int64_t j = 0; j < width; ++j) partial[j] = 0;
    for (int64_t i = r; i < smaller(n, r + kRowsPerBlock); ++i) {
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) partial[j] += each(i, j);
    }
    for (int64_t j = 0; j < width; ++j) totals[j] += partial[j];
  }
}

template <class T>
void softmax_columns(const T* x, T* y, int64_t n, int64_t inner, int64_t width, bool logarithm) {
  alignas(64) T top[kTile], share[kTile];
  Wide<T> totals[kTile];
  fold_columns(ExtremeFold<T, true>{}, x, inner, width, n, top);
  if (logarithm) {
    column_totals<T>(n, width, totals,
                     [=, &top](int64_t i, int64_t j) { return number::exp(x[i * inner + j] - top[j]); });
    for (int64_t j = 0; j < width; ++j) share[j] = T(number::log(totals[j]));
    for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) y[i * inner + j] = (x[i * inner + j] - top[j]) - share[j];
    }
    return;
  }
  column_totals<T>(n, width, totals, [=, &top](int64_t i, int64_t j) {
    return y[i * inner + j] = number::exp(x[i * inner + j] - top[j]);
  });
  for (int64_t j = 0; j < width; ++j) share[j] = T(1 / totals[j]);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) y[i * inner + j] *= share[j];
  }
}

template <class T>
void gradient_columns(const T* g, const T* y, T* out, int64_t n, int64_t inner, int64_t width, bool logarithm) {
  Wide<T> totals[kTile];
  alignas(64) T total[kTile];
  if (logarithm)
    column_totals<T>(n, width, totals, [=](int64_t i, int64_t j) { return g[i * inner + j]; });
  else
    column_totals<T>(n, width, totals, [=](int64_t i, int64_t j) { return g[i * inner + j] * y[i * inner + j]; });
  for (int64_t j = 0; j < width; ++j) total[j] = T(totals[j]);
  for (int64_t i = 0; i < n; ++i) {
    const T *gi = g + i * inner, *yi = y + i * inner;
    T* to = out + i * inner;
    if (logarithm) {
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) to[j] = gi[j] - number::exp(yi[j]) * total[j];
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) to[j] = yi[j] * (gi[j] - total[j]);
    }
  }
}

template <class T>
void forward(const void* x, void* y, int64_t n, int64_t inner, int64_t width, bool logarithm) {
  if (inner == 1)
    softmax_rows(static_cast<const T*>(x), static_cast<T*>(y), width, n, logarithm);
  else
    softmax_columns(static_cast<const T*>(x), static_cast<T*>(y), n, inner, width, logarithm);
}

template <class T>
void backward(const void* g, const void* y, void* out, int64_t n, int64_t inner, int64_t width, bool logarithm) {
  const auto *from = static_cast<const T*>(g), *value = static_cast<const T*>(y);
  if (inner == 1)
    gradient_rows(from, value, static_cast<T*>(out), width, n, logarithm);
  else
    gradient_columns(from, value, static_cast<T*>(out), n, inner, width, logarithm);
}

// ---- rows of scores, for cross-entropy

template <class T>
void log_total(const void* x, void* out, int64_t n) {
  const auto* row = static_cast<const T*>(x);
  T top = maximum(row, n);
  *static_cast<T*>(out) = top + T(number::log(exponentials(row, static_cast<T*>(nullptr), n, top)));
}

template <class T>
void scaled(const void* x, const void* log_total, const void* scale, void* out, int64_t n) {
  const auto* row = static_cast<const T*>(x);
  const T total = *static_cast<const T*>(log_total), factor = *static_cast<const T*>(scale);
  auto* to = static_cast<T*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = factor * number::exp(row[i] - total);
}

constinit const SoftmaxLoops softmax_table[2] = {
    {&forward<float>, &backward<float>, &log_total<float>, &scaled<float>},
    {&forward<double>, &backward<double>, &log_total<double>, &scaled<double>}};

}  // namespace chainrule::cpu::CR_ISA
