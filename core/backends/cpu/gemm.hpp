// Matrix products of strided operands, single and batched, for float, double, int64_t and the complex types.
#pragma once
#include <cstdint>

namespace chainrule::cpu {

// A matrix in memory: element (i, j) at data[i * row_stride + j * column_stride], strides in elements. Strides of
// inputs may be anything, zero (expanded) and negative included; those of an output must not make elements overlap.
template <class T>
struct MatrixView {
  T* data;
  int64_t row_stride, column_stride;
};

template <class T>
MatrixView<T> transposed(MatrixView<T> v) {
  return {v.data, v.column_stride, v.row_stride};
}

// c = alpha * a @ b + beta * c for c of shape (m, n), a (m, k), b (k, n). beta == 0 never reads c; k == 0 gives
// beta * c. The result does not depend on the number of threads.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
          MatrixView<T> c);

// c = alpha * a @ b + beta * row, the row added to each of c, whose rows are contiguous.
template <class T>
void gemm_plus_row(int64_t m, int64_t n, int64_t k, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
                   const T* row, T* c);

// gemm for `batch` products; the operands of product i are `i * batch_stride` elements further (0 = shared).
template <class T>
void gemm_batched(int64_t batch, int64_t m, int64_t n, int64_t k, T alpha, MatrixView<const T> a,
                  int64_t a_batch_stride, MatrixView<const T> b, int64_t b_batch_stride, T beta, MatrixView<T> c,
                  int64_t c_batch_stride);

}  // namespace chainrule::cpu
