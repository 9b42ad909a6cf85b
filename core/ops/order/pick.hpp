// What operations share that pick one of several elements: maxima, medians, modes.
#pragma once
#include "ops/reduce/reduce.hpp"

namespace chainrule {

// Nothing can be picked from nothing, so every dimension reduced over must have elements; raises if one has none.
void check_elements(const Tensor& x, const Dims& dims, const char* name);

// g divided by the number of ties at the elements that tie, else 0. An extreme that equals nothing (NaN) gives NaN.
Tensor share_among(const Tensor& ties, const Tensor& g, const Dims& dims);

// The gradient of a value y picked from all of x: g shared evenly among the elements equal to it, NaN equal to NaN.
Tensor share_with_equals(const Tensor& x, const Tensor& y, const Tensor& g);

// The gradient of values picked along one dimension: zeros with g at the indices.
Tensor return_to_indices(const Tensor& g, const Tensor& indices, Span sizes, int dim, bool keepdim);

}  // namespace chainrule
