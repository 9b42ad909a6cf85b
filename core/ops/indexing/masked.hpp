// Reading and writing where a mask is true.
#pragma once
#include "ops/indexing/write.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value, Place place);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value, Place place);
// The elements where the mask is true, as a vector; both are broadcast.
Tensor masked_select(const Tensor& x, const Tensor& mask);
// Replaces them, in order, by the first elements of `source`.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source, Place place);

}  // namespace chainrule
