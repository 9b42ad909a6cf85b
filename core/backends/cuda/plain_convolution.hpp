// Convolution by a kernel of our own, of any shape.
#pragma once
#include "backends/convolution.hpp"

namespace chainrule::cuda {

enum class ConvolutionPass : int64_t { Value, InputGradient, WeightGradient };

void plain_convolution(ConvolutionPass pass, const Convolution& c);

}  // namespace chainrule::cuda
