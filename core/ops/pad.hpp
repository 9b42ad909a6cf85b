// Enlarging a tensor by a constant at the ends of its dimensions.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// `pad` has two numbers per dimension, from the last one backwards: how many elements to add before and after it.
// Negative ones take away.
Tensor constant_pad_nd(const Tensor& x, Span pad, const Scalar& value);

}  // namespace chainrule
