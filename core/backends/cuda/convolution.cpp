// Convolutions: by cuDNN where it is there and has a way, and by a kernel of our own.
#include "backends/convolution.hpp"

#include "backends/cuda/chain_run.hpp"
#include "backends/cuda/cudnn_convolution.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/plain_convolution.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

// Halves are multiplied as they are, and added up in float.
DType factor_type(DType t) { return t; }

// A number for each channel of what came out.
void add_bias(const Convolution& c, int64_t channels, int64_t pixels) {
  const Dims sizes{c.shape.batch, channels, pixels};
  const Dims strides = c.channels_last ? Dims{channels * pixels, 1, channels} : Dims{channels * pixels, pixels, 1};
  const ChainInput in[] = {{.data = static_cast<const char*>(c.out), .dtype = c.dtype, .strides = strides},
                           {.data = static_cast<const char*>(c.bias), .dtype = c.dtype, .strides = Dims{0, 1, 0}}};
  ChainStep step{.op = OpId::add};
  step.operands[0] = ChainOperand::input(0);
  step.operands[1] = ChainOperand::input(1);
  const ChainOutput out{ChainOperand::step(0), static_cast<char*>(c.out), c.dtype, strides};
  run_chain({sizes, c.dtype, in, {&step, 1}, {&out, 1}});
}

template <ConvolutionPass pass>
void run(const Convolution& c) {
  check(!c.finish, "a convolution on a GPU does not come in blocks");
  if (!cudnn_convolution(pass, c)) return plain_convolution(pass, c);
  const ConvolutionShape& s = c.shape;
  const bool is_value = pass == ConvolutionPass::Value;
  if (c.bias)
    add_bias(c, s.groups * (is_value ? s.out_channels : s.in_channels), is_value ? s.out_pixels() : s.in_pixels());
}

}  // namespace

const ConvolutionKernels convolution_kernels{
    .factor_type = factor_type,
    .lays_zeros = false,
    .takes_channels_last = true,
    .value = {run<ConvolutionPass::Value>},
    .input_gradient = {run<ConvolutionPass::InputGradient>},
    .weight_gradient = {run<ConvolutionPass::WeightGradient>},
};

}  // namespace chainrule::cuda
