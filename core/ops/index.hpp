// Reading and writing at positions given by tensors.
#pragma once
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

// x[i, :, j] with one entry per dimension: an integer or mask tensor, or a null handle for a whole dimension.
Tensor index(const Tensor& x, std::span<const Tensor> indices);
// Writes `values`, broadcast; with `accumulate` repeated positions add up.
Tensor index_put_(const Tensor& x, std::span<const Tensor> indices, const Tensor& values, bool accumulate);

}  // namespace chainrule
