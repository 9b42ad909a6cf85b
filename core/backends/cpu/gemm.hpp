// Matrix products of strided operands, single and batched, for float, double, int64_t and the complex types, and for
// bfloat16 where has_bfloat16_products().
#pragma once
#include <cstdint>
#include <type_traits>

#include "backends/matmul.hpp"

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

// bfloat16 without the functions of half.hpp, which must not be compiled for one instruction set.
enum class BFloat16Bits : uint16_t {};

// What the products of T are added up in, and the result is in.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, BFloat16Bits>, float, T>;

// c = alpha * a @ b + beta * c for c of shape (m, n), a (m, k), b (k, n). beta == 0 never reads c; k == 0 gives
// beta * c. The result does not depend on the number of threads.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b, Sum<T> beta,
          MatrixView<Sum<T>> c);

// c = alpha * a @ b + beta * row, the row added to each of c, whose rows are contiguous.
template <class T>
void gemm_plus_row(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b,
                   Sum<T> beta, const Sum<T>* row, Sum<T>* c);

// c = a @ b, or a @ b + row; with `finish` it goes there and not to c. Neither m nor n is 1, and k is from 1 to
// kFinishedDepth bytes.
template <class T>
void gemm_in_blocks(int64_t m, int64_t n, int64_t k, MatrixView<const T> a, MatrixView<const T> b, const T* row, T* c,
                    const GemmFinish* finish);

// gemm for `batch` products; the operands of product i are `i * batch_stride` elements further (0 = shared).
template <class T>
void gemm_batched(int64_t batch, int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a,
                  int64_t a_batch_stride, MatrixView<const T> b, int64_t b_batch_stride, Sum<T> beta,
                  MatrixView<Sum<T>> c, int64_t c_batch_stride);

// Whether this processor multiplies bfloat16 by itself, faster than it would the same numbers as float.
bool has_bfloat16_products();

}  // namespace chainrule::cpu
