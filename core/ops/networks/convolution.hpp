// Convolutions over one, two or three dimensions, and transposed ones.
#pragma once
#include <string>

#include "tensor/tensor.hpp"

namespace chainrule {

struct ConvolutionOptions {
  Dims stride, padding, dilation;
  bool transposed = false;
  Dims output_padding;
  int64_t groups = 1;
  bool may_wait = false;  // a user's own call; see Note [Pending operations]
};

// Over the trailing dimensions of a batched input, as many as the weight has beyond two; a list of one number stands
// for all of them. A null bias: none.
Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& options);
// The same for `dims` dimensions, also for a single sample without a batch dimension. `name` is the caller's.
Tensor convolution_nd(const char* name, int dims, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const ConvolutionOptions& options);
// With padding "same" or "valid".
Tensor convolution_padded(const char* name, int dims, const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const std::string& padding, const ConvolutionOptions& options);
// Over (time, batch, channels), with a weight (taps, in, out).
Tensor conv_tbc(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t padding);

}  // namespace chainrule
