// How many elements fall where: bincount and histc.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// How often each integer occurs in a vector, or the sum of its weights. `weights` may be a null handle.
Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength);
// How many elements fall into each of `bins` equal parts of [low, high]; low == high: of the range of the elements.
Tensor histc(const Tensor& x, int64_t bins, double low, double high);

}  // namespace chainrule
