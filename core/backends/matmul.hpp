// Products of matrices.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/complex.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// A matrix in memory: element (i, j) at data[i * row_stride + j * column_stride], strides in elements. Strides of
// inputs may be anything, zero (expanded) and negative included; those of an output must not make elements overlap.
struct Matrix {
  char* data;
  int64_t rows, columns, row_stride, column_stride;
};

// The batch dimensions of both factors: an inner run that has one stride in each, and the dimensions around it.
struct MatrixBatch {
  Dims sizes, a, b;  // the outer dimensions
  int64_t count = 1, a_step = 0, b_step = 0;
};

// out = alpha * a @ b + beta * out. beta == 0 never reads out; no columns of a give beta * out. The result does not
// depend on the number of threads.
struct MatrixProduct {
  DType factors, result;  // of a and b, and of the output: what products are added up in, or what the backend makes
  Matrix a, b;
  char* out;  // contiguous
  Complex<double> alpha, beta;
};

// Takes the blocks of a product one by one, from several threads. A block is small enough to stay in the first-level
// cache and has at most kFinishedColumns; its rows follow each other without a gap.
inline constexpr int64_t kFinishedColumns = 1024;
class GemmFinish {
 public:
  virtual void operator()(int64_t row, int64_t rows, int64_t column, int64_t columns, const char* block) const = 0;

 protected:
  ~GemmFinish() = default;
};
inline constexpr int64_t kFinishedDepth = 2048;  // bytes of a row of a that such a product may have

struct MatmulKernels {
  DType (*factor_type)(DType);  // the dtype that factors are brought to
  DType (*result_type)(DType);  // and that of their product
  Kernel<void(const MatrixProduct&)> multiply;
  // out = alpha * a @ b + beta * row, the row added to each of out.
  Kernel<void(const MatrixProduct&, const char* row)> multiply_plus_row;
  // One output for each product of a batch, or the sum of all.
  Kernel<void(const MatrixProduct&, const MatrixBatch&)> multiply_each;
  Kernel<void(const MatrixProduct&, const MatrixBatch&)> multiply_and_add;
  // out = a @ b, or a @ b + row, in float or double; with `finish` it goes there and not to out. Neither a's rows nor
  // b's columns are 1, and a has from 1 to kFinishedDepth bytes in a row.
  Kernel<void(const MatrixProduct&, const char* row, const GemmFinish* finish)> multiply_in_blocks;
};

// The dtype that products are added up in.
inline DType sum_type(DType t) {
  if (t == DType::Float16 || t == DType::BFloat16) return DType::Float32;
  return t < DType::Int64 ? DType::Int64 : t;
}

}  // namespace chainrule
