// Convolutions: by cuDNN where it is there and has a way, and by a kernel of our own.
#include "backends/convolution.hpp"

#include "backends/cuda/kernels.hpp"
#include "backends/cuda/plain_convolution.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

// Halves are multiplied as they are, and added up in float.
DType factor_type(DType t) { return t; }

template <ConvolutionPass pass>
void run(const Convolution& c) {
  check(!c.finish, "a convolution on a GPU does not come in blocks");
  plain_convolution(pass, c);
}

}  // namespace

const ConvolutionKernels convolution_kernels{
    .factor_type = factor_type,
    .lays_zeros = false,
    .value = {run<ConvolutionPass::Value>},
    .input_gradient = {run<ConvolutionPass::InputGradient>},
    .weight_gradient = {run<ConvolutionPass::WeightGradient>},
};

}  // namespace chainrule::cuda
