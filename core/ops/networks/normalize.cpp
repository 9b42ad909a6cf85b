// Layer normalisation and its sibling without a mean, over trailing dimensions.
#include "ops/networks/normalize.hpp"

#include <limits>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kLayerNorm{"native_layer_norm", "NativeLayerNormBackward0",
                  "rstd * (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)), sum(g * x_hat), sum(g)"};
OpInfo kRmsNorm{"rms_norm", "FusedRmsNormBackward0", "rstd * (g*w - x_hat * mean(g*w*x_hat)), sum(g * x_hat)"};

struct RowShape {
  int64_t rows = 1, n = 1;
  int lead;  // dimensions that are kept
  RowShape(const Tensor& x, int trailing) : lead(x.ndim() - trailing) {
    for (int i = 0; i < x.ndim(); ++i) (i < lead ? rows : n) *= x.size(i);
  }
};

void check_shape(const Tensor& x, const Dims& shape, const Tensor& weight, const Tensor& bias) {
  check(!shape.empty(),
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
        "but got normalized_shape = []");
  check(!weight || equal(weight.sizes(), shape),
        "Expected weight to be of same shape as normalized_shape, but got "
        "weight of shape ",
        weight ? weight.sizes() : Span(), " and normalized_shape = ", Span(shape));
  check(!bias || equal(bias.sizes(), shape),
        "Expected bias to be of same shape as normalized_shape, but got bias of "
        "shape ",
        bias ? bias.sizes() : Span(), " and normalized_shape = ", Span(shape));
  bool fits = x.ndim() >= shape.size();
  for (int i = 1; fits && i <= shape.size(); ++i) fits = x.size(x.ndim() - i) == shape[shape.size() - i];
  check(fits, "Given normalized_shape=", Span(shape), ", expected input with shape [*, ", shape_text(shape).substr(1),
        ", but got input of size", x.sizes());
}

Dims trailing_dims(const Tensor& x, int trailing) {
  Dims dims;
  for (int i = x.ndim() - trailing; i < x.ndim(); ++i) dims.push_back(i);
  return dims;
}

// The definition, of operations with histories.
Tensor composed(const std::vector<Tensor>& in, int trailing, double eps, bool centred) {
  DType dtype = in[0].dtype();
  bool wider = in[1] && size_of(in[1].dtype()) > size_of(dtype);  // a narrower weight must not narrow x
  Tensor x = wider ? to_dtype(in[0], in[1].dtype()) : in[0];
  Dims dims = trailing_dims(x, trailing);
  Tensor deviation = centred ? x - mean(x, dims, true, {}) : x;
  Tensor variance = mean(deviation * deviation, dims, true, {});
  Tensor y = deviation * elementwise(OpId::rsqrt, {variance + eps});
  if (in[1]) y = y * in[1];
  if (in.size() > 2 && in[2]) y = y + in[2];
  return to_dtype(y, dtype);
}

// PyTorch's layer norm is contiguous, its norm by the root of squares lies as what comes in.
MemoryFormat format_of_rows(const Tensor& x, bool centred) {
  return centred ? MemoryFormat::Contiguous : suggested_format(x);
}

// Gives the gradients of x, weight and bias; `parameters` has the dtypes that the last two have.
void give_gradients(Backward& b, const Tensor& x, const Tensor& weight, const Tensor& statistics, int trailing,
                    DType parameters, bool centred) {
  RowShape shape(x, trailing);
  Tensor g = contiguous(b.g()), from = contiguous(x), w = prepared(weight);
  Dims sizes(x.sizes().subspan(static_cast<size_t>(shape.lead)));
  bool has_bias = b.node()->edge_count > 2 && b.needs(2);
  DType wide = kernel_dtype(g.dtype());
  Tensor dx = b.needs(0) ? empty(x.sizes(), g.dtype()) : Tensor(), dw = b.needs(1) ? empty(sizes, wide) : Tensor(),
         db = has_bias ? empty(sizes, wide) : Tensor();
  auto data = [](const Tensor& t) { return t ? t->data : nullptr; };
  backend().normalize->rows_gradient({g.dtype(), shape.rows, shape.n, centred, g->data, from->data, data(w),
                                      statistics.data<double>(), data(dx), data(dw), data(db)});
  if (dx) b.give(0, laid_out(dx, format_of_rows(b.g(), centred)));
  if (dw) b.give(1, to_dtype(dw, parameters));
  if (db) b.give(2, to_dtype(db, parameters));
}

// y and the statistics (rows, 2), float64.
std::pair<Tensor, Tensor> normalized(const Tensor& x, int trailing, const Tensor& weight, const Tensor& bias,
                                     double eps, bool centred) {
  GradModeScope off(false);
  RowShape shape(x, trailing);
  Tensor from = contiguous(x), w = prepared(weight), b = prepared(bias), y = empty(x.sizes(), x.dtype());
  Tensor statistics = empty(Dims{shape.rows, 2}, DType::Float64);
  backend().normalize->rows({y.dtype(), shape.rows, shape.n, centred, eps, from->data, w ? w->data : nullptr,
                             b ? b->data : nullptr, y->data, statistics.data<double>()});
  return {laid_out(y, format_of_rows(x, centred)), statistics};
}

Tensor statistics_column(const Tensor& statistics, int column, Span sizes, DType dtype) {
  GradModeScope off(false);
  return view(contiguous(to_dtype(select(statistics, 1, column), dtype)), sizes);
}

}  // namespace

namespace {

Tensor prepared_last(MemoryFormat format, const Tensor& t) {
  return contiguous_in(format, to_dtype(t, kernel_dtype(t.dtype())));
}
ChannelsLast shape_last(const Tensor& x, int64_t samples) {
  return {samples, x.numel() / std::max<int64_t>(1, samples * x.size(1)), x.size(1)};
}

}  // namespace

Tensor affine_last(MemoryFormat format, const Tensor& x, int64_t samples, const Tensor& numbers) {
  Tensor from = prepared_last(format, x), out = empty_in(format, x.sizes(), from.dtype());
  backend().normalize->affine_last(
      {out.dtype(), shape_last(x, samples), numbers.data<double>(), from->data, out->data});
  return to_dtype(out, x.dtype());
}

Tensor combine_last(MemoryFormat format, const Tensor& g, const Tensor& x, int64_t samples, const Tensor& numbers) {
  Tensor incoming = prepared_last(format, g), from = prepared_last(format, x);
  Tensor out = empty_in(format, x.sizes(), from.dtype());
  backend().normalize->combine_last(
      {out.dtype(), shape_last(x, samples), numbers.data<double>(), incoming->data, from->data, out->data});
  return to_dtype(out, x.dtype());
}

DType statistics_dtype(const Tensor& x, const Tensor& parameter) { return parameter ? parameter.dtype() : x.dtype(); }

void check_parameter_dtypes(const Tensor& x, std::initializer_list<const Tensor*> parameters) {
  for (const Tensor* p : parameters) {
    if (!*p || p->dtype() == x.dtype()) continue;
    bool half = x.dtype() == DType::Float16 || x.dtype() == DType::BFloat16;
    check(p->dtype() == DType::Float32, "mixed dtype (CPU): expect parameter to have scalar type of Float, but got ",
          facts(p->dtype()).tensor_name);
    check(half, "mixed dtype (CPU): all inputs must share same datatype. The input is ", facts(x.dtype()).tensor_name,
          ", a parameter ", facts(p->dtype()).tensor_name);
  }
}

Tensor parameter_numbers(const Tensor& t) { return t ? contiguous(to_dtype(t, DType::Float64)) : t; }

Normalized native_layer_norm(const Tensor& x, const Dims& shape, const Tensor& weight, const Tensor& bias, double eps) {
  check_shape(x, shape, weight, bias);
  check_parameter_dtypes(x, {&weight, &bias});
  require_floating(x, "LayerNormKernelImpl");
  int trailing = shape.size();
  Tensor y, statistics;
  std::tie(y, statistics) = normalized(x, trailing, weight, bias, eps, true);
  Dims sizes(x.sizes());
  for (int64_t d : trailing_dims(x, trailing)) sizes[static_cast<int>(d)] = 1;
  DType dtype = statistics_dtype(x, weight ? weight : bias);
  Tensor means = statistics_column(statistics, 0, sizes, dtype), rstds = statistics_column(statistics, 1, sizes, dtype);
  y = record(kLayerNorm, y, {&x, &weight, &bias}, {&x, &weight, &bias, &statistics},
             [trailing, eps, dtype, weighted = static_cast<bool>(weight), biased = static_cast<bool>(bias)](
                 Backward& b, Kept* kept) {
               if (kept)
                 return kept->add("input", Slot{0}, "weight", Slot{1}, "bias", Slot{2}, "eps", eps, "normalized_shape",
                                  b.node()->outputs[0].sizes().last(static_cast<size_t>(trailing)));
               Tensor x = b.saved(0), weight = saved_if(b, 1, weighted), bias = saved_if(b, 2, biased);
               if (!grad_enabled()) return give_gradients(b, x, weight, b.saved(3), trailing, dtype, true);
               give_composed_gradient(b, {x, weight, bias},
                                      [&](const std::vector<Tensor>& in) { return composed(in, trailing, eps, true); });
             });
  return {y, means, rstds};
}

Tensor rms_norm(const Tensor& x, const Dims& shape, const Tensor& weight, std::optional<double> given) {
  check_shape(x, shape, weight, Tensor());
  int trailing = shape.size();
  double epsilon = real_of(x.dtype()) == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                        : std::numeric_limits<float>::epsilon();
  double eps = given.value_or(epsilon);
  if (is_complex(x.dtype())) return composed({x, weight}, trailing, eps, false);
  require_floating(x, "rms_norm");
  const bool wider = weight && weight.dtype() == DType::Float32 && size_of(x.dtype()) == 2;
  if (weight && weight.dtype() != x.dtype() && !wider) return composed({x, weight}, trailing, eps, false);
  Tensor y, statistics;
  std::tie(y, statistics) = normalized(x, trailing, weight, Tensor(), eps, false);
  DType dtype = statistics_dtype(x, weight);
  return record(kRmsNorm, y, {&x, &weight}, {&x, &weight, &statistics},
                [trailing, eps, dtype, weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
                  if (kept)
                    return kept->add("input", Slot{0}, "weight", Slot{1}, "eps", eps, "normalized_shape",
                                     b.node()->outputs[0].sizes().last(static_cast<size_t>(trailing)));
                  Tensor x = b.saved(0), weight = saved_if(b, 1, weighted);
                  if (!grad_enabled()) return give_gradients(b, x, weight, b.saved(2), trailing, dtype, false);
                  give_composed_gradient(b, {x, weight}, [&](const std::vector<Tensor>& in) {
                    return composed(in, trailing, eps, false);
                  });
                });
}

}  // namespace chainrule
