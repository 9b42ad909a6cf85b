// Convolutions by cuDNN.
#pragma once
#include "backends/cuda/plain_convolution.hpp"

namespace chainrule::cuda {

// Without the bias. False where cuDNN is not there or has no way of doing it.
bool cudnn_convolution(ConvolutionPass pass, const Convolution& c);

}  // namespace chainrule::cuda
