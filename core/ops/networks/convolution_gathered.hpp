// Convolution that forms only the products that there are.
#pragma once
#include "backends/convolution.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// The kernels lay zeros around what they read, and multiply them. Two cases do not bear that: padding out of all
// proportion to the input (10^9 zeros at either side, and windows as far apart), which no memory holds; and the way
// back to the input through a weight that is infinite, where zeros between and beside the gradients would become NaN.
// There the elements that each window reads are gathered, as PyTorch does it, and what comes back is scattered.

// Whether the padded input would be out of proportion to what is read of it.
bool reads_far_apart(const ConvolutionShape& shape);
bool is_finite(const Tensor& t);

// As the kernels of the same names. Tensors of float32 or float64, results of five dimensions.
Tensor gathered_value(const ConvolutionShape& shape, const Tensor& x, const Tensor& weight);
Tensor gathered_input_gradient(const ConvolutionShape& shape, const Tensor& g, const Tensor& weight);
Tensor gathered_weight_gradient(const ConvolutionShape& shape, const Tensor& g, const Tensor& x);

}  // namespace chainrule
