// A tensor's elements as contiguous rows along one of its dimensions, and back.
#pragma once
#include "backends/sort.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// The elements without history, contiguous, with `dim` as the last dimension.
Tensor with_dim_last(const Tensor& x, int dim);
PackedRows rows_of(const Tensor& dim_last);

// A result whose last dimension belongs at `dim`, contiguous.
Tensor with_dim_back(const Tensor& result, int dim);
// The same in the memory order of `like`, which has its shape.
Tensor with_dim_back(const Tensor& result, int dim, const Tensor& like);

}  // namespace chainrule
