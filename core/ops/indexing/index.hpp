// x[i, j] with tensors: reading, and writing in a copy or in place.
#pragma once
#include <vector>

#include "ops/indexing/write.hpp"

namespace chainrule {

// x[i, :, j] with one entry per dimension: an integer tensor, or a null handle for a whole dimension; a mask stands for
// as many dimensions as it has.
Tensor index(const Tensor& x, std::span<const Tensor> indices);
// Writes `values`, broadcast; with `accumulate` repeated positions add up.
Tensor index_put(const Tensor& x, std::span<const Tensor> indices, const Tensor& values, bool accumulate, Place place);

}  // namespace chainrule
