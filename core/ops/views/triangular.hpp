// Diagonals and triangles of matrices.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

Tensor diagonal(const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2);  // a view
Tensor diag(const Tensor& t, int64_t offset);                                  // 1-d to 2-d and back
Tensor diag_embed(const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2);
Tensor diagflat(const Tensor& t, int64_t offset);  // the flattened tensor as a diagonal
Tensor trace(const Tensor& t);
Tensor tril(const Tensor& t, int64_t diagonal);
Tensor triu(const Tensor& t, int64_t diagonal);
// Rows and columns of a triangle's elements, row by row: a (2, n) tensor of int32 or int64.
Tensor triangle_indices(bool lower, int64_t rows, int64_t columns, int64_t offset, DType dtype);

}  // namespace chainrule
