// Where a tensor's elements are not zero.
#pragma once
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

// One row of coordinates for each element that is not zero, in order.
Tensor nonzero(const Tensor& x);
// The same with exactly `size` rows: the first ones, then rows of `fill`.
Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill);
// One vector of coordinates for each dimension; a 0-d tensor counts as one of one element.
std::vector<Tensor> nonzero_by_dimension(const Tensor& x);

}  // namespace chainrule
