// Reading and adding elements along one dimension, at positions given by an index tensor of the same rank.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// out[i][j] = x[index[i][j]][j], for dim 0; has the shape of the index. Indices are trusted.
Tensor take_along(const Tensor& x, int dim, const Tensor& index);
// Zeros of shape `sizes` with g[i][j] added at [index[i][j]][j], for dim 0.
Tensor add_along(const Tensor& g, int dim, const Tensor& index, Span sizes);

}  // namespace chainrule
