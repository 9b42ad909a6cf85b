// What a convolution may be asked for, and the sizes that follow.
#pragma once
#include "ops/networks/convolution.hpp"

namespace chainrule {

// Every list written out for `dims` dimensions; raises for lists of another length and numbers that make no sense.
ConvolutionOptions checked_options(const ConvolutionOptions& given, int dims);
void check_dimensions(const char* name, int dims, const Tensor& x);
void check_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& o);
// Raises if the kernel has no elements.
void check_kernel(const Tensor& weight);
// The output's extent; raises when the kernel is larger than the padded input.
Dims output_extent(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o);
Dims transposed_extent(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o);

}  // namespace chainrule
