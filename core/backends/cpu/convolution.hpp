// Convolution and its two gradients over contiguous (batch, channels, depth, height, width) arrays of float or double.
#pragma once
#include <array>
#include <cstdint>

#include "backends/cpu/gemm.hpp"

namespace chainrule::cpu {

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

// Null biases are zero. Results do not depend on the number of threads. With `finish` the result goes there and not to
// y, if there are channels, and more than kFewChannels; its rows are batch and channels.
inline constexpr int64_t kFewChannels = 2;
template <class T>
void convolution(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y,
                 const GemmFinish* finish = nullptr);
// dx = the transpose of convolution in x, applied to g, plus a bias per channel of x; also transposed convolution.
template <class T>
void convolution_input_gradient(const ConvolutionShape& s, const T* g, const T* weight, const T* bias, T* dx);
template <class T>
void convolution_weight_gradient(const ConvolutionShape& s, const T* g, const T* x, T* dw);

}  // namespace chainrule::cpu
