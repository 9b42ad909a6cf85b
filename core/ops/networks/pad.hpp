// Enlarging a tensor at the ends of its dimensions.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// `pad` has two numbers per dimension, from the last one backwards: how many elements to add before and after it.
// Negative ones take away.
Tensor constant_pad_nd(const Tensor& x, Span pad, const Scalar& value);

// For one to three of the last dimensions: what is added mirrors the elements next to it, or repeats the last one. A
// mirrored part is shorter than its dimension.
Tensor repeated_pad(const Tensor& x, Span pad, bool reflects);

}  // namespace chainrule
