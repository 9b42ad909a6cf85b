// Convolution and its two gradients over contiguous (batch, channels, depth, height, width) arrays.
#pragma once
#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

class GemmFinish;

using Extent3 = std::array<int64_t, 3>;  // depth, height, width

// y[n, o, p] = sum over i, k of w[o, i, k] * x[n, i, p * stride - padding + k * dilation], group by group.
struct ConvolutionShape {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  Extent3 in, out, kernel, stride, padding, dilation;

  static int64_t volume(const Extent3& e) { return e[0] * e[1] * e[2]; }
  int64_t taps() const { return volume(kernel); }
  int64_t weight_columns() const { return in_channels * taps(); }
  int64_t in_pixels() const { return volume(in); }
  int64_t out_pixels() const { return volume(out); }
};

// Of a dtype that factor_type gives. A null bias is zero. With `finish` the result goes there and not to `out`, if
// there are channels, and more than kFewChannels; its rows are batch and channels.
inline constexpr int64_t kFewChannels = 2;
struct Convolution {
  const ConvolutionShape& shape;
  DType dtype;
  const void *a, *b, *bias;
  void* out;
  const GemmFinish* finish = nullptr;
  bool channels_last = false;  // of all three; where takes_channels_last says so
};

// Results do not depend on the number of threads.
struct ConvolutionKernels {
  DType (*factor_type)(DType);  // the floating dtype that factors are brought to; the output's is the same
  bool lays_zeros;              // around what it reads, and multiplies them: see ops/networks/convolution_gathered.hpp
  bool takes_channels_last;
  Kernel<void(const Convolution&)> value;  // of x and the weight
  // Of g and the weight: the transpose of `value` in x, plus a bias per channel of x; also transposed convolution.
  Kernel<void(const Convolution&)> input_gradient;
  Kernel<void(const Convolution&)> weight_gradient;  // of g and x; there is no bias
};

}  // namespace chainrule
