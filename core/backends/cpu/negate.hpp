// Changing signs where the elements lie.
#pragma once
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

// Strides count elements; a complex element is negated whole. Bools stay as they are.
void negate_strided(Span sizes, char* data, Span strides, DType dtype);
// The imaginary parts of complex elements.
void conjugate_strided(Span sizes, char* data, Span strides, DType dtype);

}  // namespace chainrule::cpu
