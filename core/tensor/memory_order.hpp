// In which order a fresh result's dimensions lie in memory.
#pragma once
#include <span>

#include "tensor/dims.hpp"

namespace chainrule {

// The strides of a fresh tensor without gaps, its dimensions ordered as in the operands, which are given by their
// strides along the dimensions of the result; 0 where broadcast.
Dims dense_strides(Span sizes, std::span<const Dims> operands);

}  // namespace chainrule
