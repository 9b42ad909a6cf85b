// What a convolution may be asked for, in PyTorch's words.
#include "ops/networks/convolution_checks.hpp"

#include "ops/matmul/matmul_checks.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

constexpr int64_t kLargestStep = int64_t{1} << 32;
constexpr int64_t kLargestPadding = INT64_MAX / 2;

Dims expanded(const Dims& values, const char* name, int dims) {
  if (values.size() == 1) return Dims(dims, values[0]);
  check(values.size() == dims, "expected ", name, " to be a single integer value or a list of ", dims,
        " values to match the convolution dimensions, but got ", name, "=", Span(values));
  return values;
}

// "(8 x 8)"
std::string extent_text(const Dims& values) {
  std::string text = "(";
  for (int i = 0; i < values.size(); ++i) text += (i ? " x " : "") + std::to_string(values[i]);
  return text + ")";
}

// PyTorch has the smaller integers only in its plainest kernel.
void check_integers(const Tensor& x, const ConvolutionOptions& o) {
  bool plain = !o.transposed;
  for (int64_t d : o.dilation) plain &= d == 1;
  if (is_bool(x.dtype()) || (is_integral(x.dtype()) && x.dtype() != DType::Int64 && !plain)) {
    raise(PyExc_NotImplementedError,
          o.transposed ? "\"slow_conv_transpose2d_out_cpu\""
          : plain      ? "\"slow_conv2d_cpu\""
                       : "\"slow_conv_dilated<>\"",
          " not implemented for '", facts(x.dtype()).tensor_name, "'");
  }
}

void check_dtypes(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (x.dtype() != weight.dtype()) {
    check(x.dtype() == DType::Float32, "expected scalar type ", facts(x.dtype()).tensor_name, " but found ",
          facts(weight.dtype()).tensor_name);
    raise(PyExc_RuntimeError, "Input type (", element_name(x.dtype()), ") and weight type (",
          element_name(weight.dtype()), ") should be the same");
  }
  check(!bias || bias.dtype() == x.dtype(), "Input type (", element_name(x.dtype()), ") and bias type (",
        bias ? element_name(bias.dtype()) : "", ") should be the same");
}

void check_channels(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o) {
  std::string given = o.transposed ? "Given transposed=1" : "Given groups=" + std::to_string(o.groups);
  check(weight.size(0) >= (o.transposed ? 1 : o.groups), "Given groups=", o.groups, ", expected weight to be at least ",
        o.groups, " at dimension 0, but got weight of size ", weight.sizes(), " instead");
  check(weight.size(0) % o.groups == 0, "Given groups=", o.groups, ", expected weight to be divisible by ", o.groups,
        " at dimension 0, but got weight of size [", weight.sizes(), "] instead");
  int64_t expected = o.transposed ? weight.size(0) : (CheckedSize(weight.size(1)) * o.groups).value();
  check(x.size(1) == expected, given, ", weight of size ", weight.sizes(), ", expected input", x.sizes(), " to have ",
        expected, " channels, but got ", x.size(1), " channels instead");
}

void check_bias(const Tensor& weight, const Tensor& bias, const ConvolutionOptions& o) {
  int64_t expected = o.transposed ? (CheckedSize(weight.size(1)) * o.groups).value() : weight.size(0);
  check(!bias || (bias.ndim() == 1 && bias.size(0) == expected),
        o.transposed ? "Given transposed=1, weight" : "Given weight", " of size ", weight.sizes(),
        ", expected bias to be 1-dimensional with ", expected, " elements, but got bias of size ",
        bias ? bias.sizes() : Span(), " instead");
}

}  // namespace

ConvolutionOptions checked_options(const ConvolutionOptions& given, int dims) {
  check(dims >= 1, "weight should have at least three dimensions, but it has ", dims + 2);
  check(dims <= 3, "convolution: the weight must have three to five dimensions, but it has ", dims + 2);
  ConvolutionOptions o = given;
  o.stride = expanded(given.stride, "stride", dims);
  o.padding = expanded(given.padding, "padding", dims);
  o.dilation = expanded(given.dilation, "dilation", dims);
  o.output_padding = given.transposed ? expanded(given.output_padding, "output_padding", dims) : Dims(dims);
  check(o.groups > 0, "non-positive groups is not supported");
  for (int d = 0; d < dims; ++d) {
    check(o.padding[d] >= 0, "negative padding is not supported");
    check(o.output_padding[d] >= 0, "negative output_padding is not supported");
    check(o.stride[d] > 0, "non-positive stride is not supported");
    check(o.dilation[d] > 0, "dilation should be greater than zero, but got ", Span(o.dilation));
    check(o.padding[d] <= kLargestPadding, "Given padding=", o.padding[d], " at dimension ", d,
          " , expected padding to be at most ", kLargestPadding);
    // Kernels multiply them by each other and by the sizes of the image.
    check(std::max({o.stride[d], o.padding[d], o.dilation[d], o.output_padding[d]}) <= kLargestStep,
          "Storage size calculation overflowed with stride=", Span(o.stride), ", padding=", Span(o.padding),
          ", dilation=", Span(o.dilation), " and output_padding=", Span(o.output_padding));
  }
  return o;
}

void check_dimensions(const char* name, int dims, const Tensor& x) {
  check(x.ndim() == dims + 1 || x.ndim() == dims + 2, "Expected ", dims + 1, "D (unbatched) or ", dims + 2,
        "D (batched) input to ", name, ", but got input of size: ", x.sizes());
}

void check_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& o) {
  check(x.ndim() == weight.ndim(), "Expected ", weight.ndim(), "-dimensional input for ", weight.ndim(),
        "-dimensional weight ", weight.sizes(), ", but got ", x.ndim(), "-dimensional input of size ", x.sizes(),
        " instead");
  check_channels(x, weight, o);
  check_bias(weight, bias, o);
  check_dtypes(x, weight, bias);
  check_integers(x, o);
}

// PyTorch asks this of its kernels; here a padding of 'same' would let such a kernel through.
void check_kernel(const Tensor& weight) {
  for (int64_t s : weight.sizes().subspan(2))
    check(s > 0, "kernel size should be greater than zero, but got a weight of size ", weight.sizes());
}

Dims output_extent(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o) {
  int dims = x.ndim() - 2;
  Dims padded(dims), kernel(dims), out(dims);
  bool fits = true;
  for (int d = 0; d < dims; ++d) {
    padded[d] = (x.size(d + 2) + 2 * CheckedSize(o.padding[d])).value();
    kernel[d] = (o.dilation[d] * CheckedSize(weight.size(d + 2) - 1) + 1).value();
    fits &= padded[d] >= kernel[d] && weight.size(d + 2) > 0;
    out[d] = (padded[d] - kernel[d]) / o.stride[d] + 1;  // both are positive
  }
  check(fits, "Calculated padded input size per channel: ", extent_text(padded), ". Kernel size: ", extent_text(kernel),
        ". Kernel size can't be greater than actual input size");
  return out;
}

Dims transposed_extent(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o) {
  int dims = x.ndim() - 2;
  Dims out(dims);
  for (int d = 0; d < dims; ++d) {
    check(o.output_padding[d] < std::max(o.stride[d], o.dilation[d]),
          "output padding must be smaller than either stride or dilation, but got output_padding: ",
          Span(o.output_padding), " stride: ", Span(o.stride), " dilation: ", Span(o.dilation));
    CheckedSize reach = (x.size(d + 2) - 1) * CheckedSize(o.stride[d]) - 2 * CheckedSize(o.padding[d]);
    CheckedSize kernel = o.dilation[d] * CheckedSize(weight.size(d + 2) - 1);
    out[d] = (reach + kernel + o.output_padding[d] + 1).value();
    check(out[d] > 0 && weight.size(d + 2) > 0, "Given input size per channel: ", Span(x.sizes().subspan(2)),
          ". Calculated output size per channel: ", Span(out), ". Output size is too small");
  }
  return out;
}

}  // namespace chainrule
