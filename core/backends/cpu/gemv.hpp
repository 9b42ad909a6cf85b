// A matrix times a vector on one thread, for whichever side of the matrix is contiguous.
#pragma once
#include "backends/cpu/gemm_kernel.hpp"
#include "backends/cpu/gemm_vector.hpp"

namespace chainrule::cpu::CR_ISA {

// The order in which a row is summed does not depend on how many rows are summed together.
template <class T, int rows>
void row_products(int64_t k, const T* a, int64_t a_stride, const T* x, T (&sums)[rows]) {
  constexpr int lanes = kLanes<T>;
  Vector<T> even[rows] = {}, odd[rows] = {};
  int64_t p = 0;
  for (; p + 2 * lanes <= k; p += 2 * lanes) {
    const Vector<T> x0 = load(x + p), x1 = load(x + p + lanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      even[i] = multiply_add(load(a + i * a_stride + p), x0, even[i]);
      odd[i] = multiply_add(load(a + i * a_stride + p + lanes), x1, odd[i]);
    }
  }
  for (; p < k; p += lanes) {
    const FirstLanes<T> rest(smaller(lanes, k - p));
    const Vector<T> x0 = rest.load(x + p);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) even[i] = multiply_add(rest.load(a + i * a_stride + p), x0, even[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) sums[i] = sum_of_lanes<T>(even[i] + odd[i]);
}

// A matrix times a vector, y = alpha * a @ x + beta * y, with x contiguous and the stride of y free.
template <class T>
struct MatrixVector {
  int64_t m, k;
  T alpha, beta;
  MatrixView<const T> a;
  const T* x;
  T* y;
  int64_t y_stride;

  void store_result(int64_t i, T sum) const {
    T& target = y[i * y_stride];
    target = beta == 0 ? alpha * sum : alpha * sum + beta * target;
  }

  template <int rows>
  void multiply_rows(int64_t i) const {
    T sums[rows];
    row_products<T, rows>(k, a.data + i * a.row_stride, a.row_stride, x, sums);
    for (int r = 0; r < rows; ++r) store_result(i + r, sums[r]);
  }

  void along_rows() const {
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) multiply_rows<4>(i);
    for (; i < m; ++i) multiply_rows<1>(i);
  }

  // a's columns are contiguous: they are added up, four at a time, in a part of the result that stays in cache.
  void along_columns() const {
    constexpr int64_t kPart = 1024;
    alignas(64) T sums[kPart + kLanes<T>];
    for (int64_t first = 0; first < m; first += kPart) {
      const int64_t rows = smaller(kPart, m - first);
      for (int64_t i = 0; i < rows; ++i) sums[i] = 0;
      int64_t p = 0;
      for (; p + 4 <= k; p += 4) add_columns<4>(rows, first, p, sums);
      for (; p < k; ++p) add_columns<1>(rows, first, p, sums);
      for (int64_t i = 0; i < rows; ++i) store_result(first + i, sums[i]);
    }
  }

  template <int columns>
  void add_columns(int64_t rows, int64_t first, int64_t p, T* sums) const {
    constexpr int lanes = kLanes<T>;
    const T* column = a.data + first + p * a.column_stride;
    int64_t i = 0;
    for (; i + lanes <= rows; i += lanes) {
      Vector<T> sum = load(sums + i);
#pragma GCC unroll 4
      for (int q = 0; q < columns; ++q) {
        sum = multiply_add(load(column + q * a.column_stride + i), broadcast(x[p + q]), sum);
      }
      store(sums + i, sum);
    }
    if (i == rows) return;
    const FirstLanes<T> rest(rows - i);
    Vector<T> sum = rest.load(sums + i);
#pragma GCC unroll 4
    for (int q = 0; q < columns; ++q) {
      sum = multiply_add(rest.load(column + q * a.column_stride + i), broadcast(x[p + q]), sum);
    }
    rest.store(sums + i, sum);
  }

  // False when no stride of a is 1.
  bool run(int64_t x_stride) {
    if (a.column_stride != 1 && a.row_stride != 1) return false;
    if (x_stride != 1) {
      T* copy = (T*)gemm_scratch(k * sizeof(T));
      for (int64_t p = 0; p < k; ++p) copy[p] = x[p * x_stride];
      x = copy;
    }
    a.column_stride == 1 ? along_rows() : along_columns();
    return true;
  }
};

}  // namespace chainrule::cpu::CR_ISA
