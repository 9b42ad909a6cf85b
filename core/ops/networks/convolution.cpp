// Convolution, its two gradients, and theirs: three products that are each other's derivatives.
#include "ops/networks/convolution.hpp"

#include "autograd/forward_mode.hpp"
#include "backends/convolution.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/networks/convolution_checks.hpp"
#include "ops/networks/convolution_gathered.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/join.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kConvolution{"convolution", "ConvolutionBackward0",
                    "g convolved with the weight turned around; the input convolved with g; sum(g)"};
OpInfo kInputGradient{"convolution_backward", "ConvolutionBackwardBackward0", "g convolved with the weight"};
OpInfo kWeightGradient{"convolution_backward", "ConvolutionBackwardBackward0", "convolutions of input and g"};

// A convolution over `dims` trailing dimensions; unused leading ones have size 1.
struct Plan {
  ConvolutionShape shape;
  int dims;
  MemoryFormat format;  // of all results; see Note [Layouts of results]

  Dims sizes(int64_t channels, const Extent3& extent) const {
    Dims result{shape.batch, (CheckedSize(shape.groups) * channels).value()};
    for (int d = 3 - dims; d < 3; ++d) result.push_back(extent[static_cast<size_t>(d)]);
    return result;
  }
  Dims input_sizes() const { return sizes(shape.in_channels, shape.in); }
  Dims output_sizes() const { return sizes(shape.out_channels, shape.out); }
  Dims weight_sizes() const {
    Dims result = sizes(shape.in_channels, shape.kernel);
    result[0] = (CheckedSize(shape.groups) * shape.out_channels).value();
    result[1] = shape.in_channels;
    return result;
  }
  double multiplications() const {
    return static_cast<double>(shape.batch * shape.groups * shape.out_channels) *
           static_cast<double>(shape.out_pixels() * shape.weight_columns());
  }
  Dims last(const Extent3& values) const { return Dims(Span(values).last(static_cast<size_t>(dims))); }
  // What a transposed convolution adds to its smallest output.
  Dims output_padding() const {
    Dims more(dims);
    for (int d = 0; d < dims; ++d) {
      auto i = static_cast<size_t>(3 - dims + d);
      int64_t least = (shape.out[i] - 1) * shape.stride[i] - 2 * shape.padding[i];
      more[d] = shape.in[i] - least - shape.dilation[i] * (shape.kernel[i] - 1) - 1;
    }
    return more;
  }
  void show(Kept& kept, bool transposed, bool biased) const {
    int64_t channels = shape.groups * (transposed ? shape.in_channels : shape.out_channels);
    kept.add("input", Slot{0}, "weight", Slot{1}, "stride", last(shape.stride), "padding", last(shape.padding),
             "dilation", last(shape.dilation), "groups", shape.groups, "transposed", transposed, "output_padding",
             transposed ? output_padding() : Dims(dims, 0), "bias_sym_sizes_opt", Dims{biased ? channels : 0});
  }
};

// Integers are computed in float64, exactly as long as sums stay below 2^53.
Tensor for_kernel(const Tensor& t, MemoryFormat format = MemoryFormat::Contiguous) {
  if (!t) return Tensor();
  const DType dtype = is_integral(t.dtype()) ? DType::Float64 : backend().convolution->factor_type(t.dtype());
  return contiguous_in(format, to_dtype(t, dtype));
}

using ConvolutionKernel = Kernel<void(const Convolution&)>;
using GatheredConvolution = Tensor (*)(const ConvolutionShape&, const Tensor&, const Tensor&);

bool is_gathered(GatheredConvolution way, const ConvolutionShape& shape, const Tensor& weight) {
  if (!backend().convolution->lays_zeros) return false;
  return reads_far_apart(shape) || (way == gathered_input_gradient && shape.taps() > 1 && !is_finite(weight));
}

Tensor gathered(GatheredConvolution way, const Plan& plan, Span sizes, const Tensor& a, const Tensor& b,
                const Tensor& bias) {
  forward_mode::PauseScope pause;
  Tensor out = reshape(way(plan.shape, a, b), sizes);
  if (!bias) return out;
  Dims channels(out.ndim(), 1);
  channels[1] = bias.numel();
  return out + view(contiguous(bias), channels);
}

// The result has the dtype of a.
Tensor run(const ConvolutionKernel& kernel, GatheredConvolution way, const Plan& plan, Span sizes, const Tensor& a,
           const Tensor& b, const Tensor& bias) {
  GradModeScope off(false);
  const MemoryFormat format = backend().convolution->takes_channels_last ? plan.format : MemoryFormat::Contiguous;
  Tensor first = for_kernel(a, format), second = for_kernel(b, format), third = for_kernel(bias);
  Tensor out;
  if (count(sizes) > 0 && is_gathered(way, plan.shape, second)) {
    out = gathered(way, plan, sizes, first, second, third);
  } else {
    out = empty_in(format, sizes, first.dtype());
    const Convolution task{.shape = plan.shape,
                           .dtype = out.dtype(),
                           .a = first->data,
                           .b = second->data,
                           .bias = third ? third->data : nullptr,
                           .out = out->data,
                           .channels_last = format != MemoryFormat::Contiguous};
    if (out.numel() > 0) kernel.unlocked(plan.multiplications(), task);
  }
  Tensor result = to_dtype(out, a.dtype());
  return format == plan.format ? result : laid_out(result, plan.format);
}

Tensor sum_channels(const Tensor& g) {
  Dims dims;
  for (int d = 0; d < g.ndim(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  return sum(g, dims, false, {});
}

Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias, const Plan& plan, bool may_wait = false);
Tensor input_gradient(OpInfo& op, const Tensor& g, const Tensor& weight, const Tensor& bias, const Plan& plan);

Tensor weight_gradient(const Tensor& g, const Tensor& x, const Plan& plan) {
  Tensor out;
  if (g.numel() == 0)
    out = laid_out(zeros(plan.weight_sizes(), g.dtype()), plan.format);
  else
    out = run(backend().convolution->weight_gradient, gathered_weight_gradient, plan, plan.weight_sizes(), g, x,
              Tensor());
  return record(kWeightGradient, out, {&g, &x}, {&g, &x}, [plan](Backward& b) {
    if (b.needs(0)) b.give(0, convolve(b.saved(1), b.g(), Tensor(), plan));
    if (b.needs(1)) b.give(1, input_gradient(kInputGradient, b.saved(0), b.g(), Tensor(), plan));
  });
}

// The transpose of convolve in x, plus a bias: also what transposed convolution is.
Tensor input_gradient(OpInfo& op, const Tensor& g, const Tensor& weight, const Tensor& bias, const Plan& plan) {
  Tensor out =
      run(backend().convolution->input_gradient, gathered_input_gradient, plan, plan.input_sizes(), g, weight, bias);
  return record(op, out, {&g, &weight, &bias}, {&g, &weight}, [plan, biased = !!bias](Backward& b, Kept* kept) {
    if (kept) return plan.show(*kept, true, biased);
    if (b.needs(0)) b.give(0, convolve(b.g(), b.saved(1), Tensor(), plan));
    if (b.needs(1)) b.give(1, weight_gradient(b.saved(0), b.g(), plan));
    if (b.needs(2)) b.give(2, sum_channels(b.g()));
  });
}

Tensor waiting_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const Plan& plan) {
  const Dims sizes = plan.output_sizes();
  count(sizes);  // raises before anything multiplies what is too large
  return defer_blocks(sizes, x.dtype(), plan.shape.out_pixels(), {&x, &weight, &bias},
                      [x = alias(x), weight = alias(weight), bias = bias ? alias(bias) : bias, shape = plan.shape](
                          char* out, const GemmFinish* finish) {
                        backend().convolution->value.run(  // inside of a kernel
                            {shape, x.dtype(), x->data, weight->data, bias ? bias->data : nullptr, out, finish});
                      });
}

// The result if it can wait; else a null handle.
Tensor convolved_later(const Tensor& x, const Tensor& weight, const Tensor& bias, const Plan& plan) {
  const ConvolutionShape& s = plan.shape;
  if (forward_mode::active() || s.out_channels <= kFewChannels || s.weight_columns() == 0) return Tensor();
  if (reads_far_apart(s)) return Tensor();
  if (plan.format != MemoryFormat::Contiguous) return Tensor();
  for (const Tensor* t : {&x, &weight, &bias}) {
    if (*t && (!t->is_contiguous() || t->dtype() != x.dtype())) return Tensor();
  }
  const bool waits = x.dtype() == DType::Float32 || x.dtype() == DType::Float64;
  return waits ? waiting_convolution(x, weight, bias, plan) : Tensor();
}

Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias, const Plan& plan, bool may_wait) {
  Tensor out = may_wait ? convolved_later(x, weight, bias, plan) : Tensor();
  if (!out) out = run(backend().convolution->value, gathered_value, plan, plan.output_sizes(), x, weight, bias);
  return record(kConvolution, out, {&x, &weight, &bias}, {&x, &weight},
                [plan, biased = !!bias](Backward& b, Kept* kept) {
                  if (kept) return plan.show(*kept, false, biased);
                  if (b.needs(0)) b.give(0, input_gradient(kInputGradient, b.g(), b.saved(1), Tensor(), plan));
                  if (b.needs(1)) b.give(1, weight_gradient(b.g(), b.saved(0), plan));
                  if (b.needs(2)) b.give(2, sum_channels(b.g()));
                });
}

// Numbers per dimension in the last places, `missing` in the others.
Extent3 extent(Span values, int64_t missing) {
  Extent3 result{missing, missing, missing};
  std::copy(values.begin(), values.end(), result.end() - static_cast<std::ptrdiff_t>(values.size()));
  return result;
}

// Channels last where the input or the weight has them so. PyTorch's results with three dimensions of space have it
// only where they come from its faster kernel, which takes neither float64 nor single small inputs.
MemoryFormat format_of_results(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o) {
  MemoryFormat format = suggested_format(x);
  if (format == MemoryFormat::Contiguous) format = suggested_format(weight);
  if (format != MemoryFormat::ChannelsLast3d) return format;
  const bool small = x.size(0) == 1 && o.groups == 1 && (weight.size(3) <= 3 || weight.size(4) <= 3) &&
                     x.size(1) * x.size(2) * x.size(3) <= 20480;
  return small || x.dtype() == DType::Float64 ? MemoryFormat::Contiguous : format;
}

Plan make_plan(const Tensor& x, const Tensor& weight, const ConvolutionOptions& o, Span other) {
  Plan plan;
  plan.dims = x.ndim() - 2;
  plan.format = format_of_results(x, weight, o);
  Span near = x.sizes().subspan(2);
  int64_t rows = weight.size(0), columns = weight.size(1);
  plan.shape = {x.size(0),
                o.groups,
                o.transposed ? columns : x.size(1) / o.groups,
                o.transposed ? x.size(1) / o.groups : rows / o.groups,
                extent(o.transposed ? other : near, 1),
                extent(o.transposed ? near : other, 1),
                extent(weight.sizes().subspan(2), 1),
                extent(o.stride, 1),
                extent(o.padding, 0),
                extent(o.dilation, 1)};
  return plan;
}

Tensor apply(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& o, Span other) {
  Plan plan = make_plan(x, weight, o, other);
  if (o.transposed) return input_gradient(kConvolution, x, weight, bias, plan);
  return convolve(x, weight, bias, plan, o.may_wait);
}

// Four real convolutions; the bias is added afterwards.
Tensor apply_complex(const Tensor& x, const Tensor& weight, const Tensor& bias, ConvolutionOptions o, Span other) {
  o.may_wait = false;
  auto part = [](const Tensor& t, int i) { return select(view_as_real(t), t.ndim(), i); };
  auto product = [&](int i, int j) { return apply(part(x, i), part(weight, j), Tensor(), o, other); };
  Tensor re = product(0, 0) - product(1, 1), im = product(0, 1) + product(1, 0);
  Tensor y = view_as_complex(stack(std::vector<Tensor>{re, im}, re.ndim()));
  if (!bias) return y;
  Dims sizes(y.ndim(), 1);
  sizes[1] = bias.numel();
  return y + view(bias, sizes);
}

// Where the input has no channels, PyTorch's result has none either, whatever the weight and the bias say.
Tensor of_no_channels(const Tensor& x, const Tensor& weight, const Tensor& bias, Span other) {
  Dims sizes{x.size(0), 0};
  for (int64_t n : other) sizes.push_back(n);
  return record(kConvolution, empty(sizes, x.dtype()), {&x, &weight, &bias}, {&x, &weight, &bias}, [](Backward& b) {
    for (int i = 0; i < 3; ++i) {
      if (b.needs(i)) b.give(i, zeros(b.saved(i).sizes(), b.saved(i).dtype()));
    }
  });
}

Tensor dispatch(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& o, Span other) {
  if (x.size(1) == 0 && !o.transposed) return of_no_channels(x, weight, bias, other);
  return is_complex(x.dtype()) ? apply_complex(x, weight, bias, o, other) : apply(x, weight, bias, o, other);
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvolutionOptions& given) {
  ConvolutionOptions o = checked_options(given, weight.ndim() - 2);
  check_convolution(x, weight, bias, o);
  return dispatch(x, weight, bias, o, o.transposed ? transposed_extent(x, weight, o) : output_extent(x, weight, o));
}

Tensor convolution_nd(const char* name, int dims, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const ConvolutionOptions& options) {
  check_dimensions(name, dims, x);
  if (x.ndim() == dims + 2) return convolution(x, weight, bias, options);
  ConvolutionOptions o = options;
  o.may_wait = false;  // a view would not know
  Dims first{0};
  return squeeze(convolution(unsqueeze(x, 0), weight, bias, o), &first);
}

Tensor convolution_padded(const char* name, int dims, const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const std::string& padding, const ConvolutionOptions& options) {
  check_dimensions(name, dims, x);
  ConvolutionOptions o = options;
  o.padding = Dims{0};
  if (padding == "valid") return convolution_nd(name, dims, x, weight, bias, o);
  check(padding == "same", "Invalid padding string: '", padding, "'");
  if (x.ndim() == dims + 1) {
    o.may_wait = false;  // a view would not know
    Dims first{0};
    return squeeze(convolution_padded(name, dims, unsqueeze(x, 0), weight, bias, padding, o), &first);
  }
  o = checked_options(o, weight.ndim() - 2);
  for (int64_t s : o.stride) check(s == 1, "padding='same' is not supported for strided convolutions");
  // An odd number of zeros has one more at the end, which the output's size implies.
  check_kernel(weight);
  for (int d = 0; d < o.padding.size(); ++d)
    o.padding[d] = (o.dilation[d] * CheckedSize(weight.size(d + 2) - 1)).value() / 2;
  check_convolution(x, weight, bias, o);
  return dispatch(x, weight, bias, o, x.sizes().subspan(2));
}

Tensor conv_tbc(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t padding) {
  check(x.ndim() == 3, "Input must have 3 dims: time, batch, in_channel");
  check(weight.ndim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  check(bias.ndim() == 1, "Bias must be 1-D");
  check(x.size(2) == weight.size(1), "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  check(weight.size(2) == bias.size(0), "Bias size must equal dim 2 in the weight tensor (output channels).");
  ConvolutionOptions o{Dims{1}, Dims{padding}, Dims{1}, false, Dims{0}, 1};
  return permute(convolution(permute(x, Dims{1, 2, 0}), permute(weight, Dims{2, 1, 0}), bias, o), Dims{2, 0, 1});
}

}  // namespace chainrule
