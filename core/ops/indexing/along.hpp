// Reading elements along one dimension, and writing them there, at positions that an index tensor gives.
#pragma once
#include "backends/positions.hpp"
#include "ops/indexing/write.hpp"

namespace chainrule {

// out[i][j] = x[index[i][j]][j], for dim 0; has the shape of the index, which is int64. `sparse`: its gradient is a
// sparse tensor.
Tensor take_along(const Tensor& x, int dim, const Tensor& index, bool sparse = false);
// Zeros of shape `sizes` with g[i][j] added at [index[i][j]][j], for dim 0.
Tensor add_along(const Tensor& g, int dim, const Tensor& index, Span sizes);
// Lets src[i][j] combine out[index[i][j]][j], for dim 0; `src` may be larger than the index, or one number. Not
// recorded.
void combine_along(Combine combine, const Tensor& out, int dim, const Tensor& index, const Tensor& src);

}  // namespace chainrule
