// Convolutions, bound: one set of signatures for each number of dimensions.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/convolution.hpp"

namespace chainrule {
namespace {

template <int dims>
constexpr const char* kName = dims == 1   ? "conv1d"
                              : dims == 2 ? "conv2d"
                                          : "conv3d";
template <int dims>
constexpr const char* kTransposedName = dims == 1   ? "conv_transpose1d"
                                        : dims == 2 ? "conv_transpose2d"
                                                    : "conv_transpose3d";

template <int dims>
Tensor conv(const Tensor& x, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
            const Dims& dilation, int64_t groups) {
  return convolution_nd(kName<dims>, dims, x, weight, bias, {stride, padding, dilation, false, Dims{0}, groups, true});
}

template <int dims>
Tensor conv_padded(const Tensor& x, const Tensor& weight, const Tensor& bias, const Dims& stride,
                   const std::string& padding, const Dims& dilation, int64_t groups) {
  return convolution_padded(kName<dims>, dims, x, weight, bias, padding,
                            {stride, Dims{0}, dilation, false, Dims{0}, groups, true});
}

template <int dims>
Tensor conv_transpose(const Tensor& x, const Tensor& weight, const Tensor& bias, const Dims& stride,
                      const Dims& padding, const Dims& output_padding, int64_t groups, const Dims& dilation) {
  return convolution_nd(kTransposedName<dims>, dims, x, weight, bias,
                        {stride, padding, dilation, true, output_padding, groups});
}

template <int dims>
void bind_convolutions() {
  std::string start = "(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, ";
  define(kName<dims> + start + "int[] padding=0, int[] dilation=1, int groups=1)", kFunction, conv<dims>);
  define(kName<dims> + start + "str padding='valid', int[] dilation=1, int groups=1)", kFunction, conv_padded<dims>);
  define(kTransposedName<dims> + start + "int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1)",
         kFunction, conv_transpose<dims>);
}

}  // namespace

void bind_convolutions() {
  bind_convolutions<1>();
  bind_convolutions<2>();
  bind_convolutions<3>();
  define(
      "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool "
      "transposed, int[] output_padding, int groups)",
      kFunction,
      [](const Tensor& x, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
         const Dims& dilation, bool transposed, const Dims& output_padding, int64_t groups) {
        return convolution(x, weight, bias, {stride, padding, dilation, transposed, output_padding, groups});
      });
  define("conv_tbc(Tensor input, Tensor weight, Tensor bias, int pad=0)", kFunction, conv_tbc);
}

}  // namespace chainrule
