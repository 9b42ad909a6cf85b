// The dropout family and the randomised leaky relu.
#include <cmath>

#include "autograd/inplace.hpp"
#include "backends/random.hpp"
#include "backends/random/arguments.hpp"
#include "ops/create/create.hpp"
#include "ops/create/random.hpp"
#include "ops/create/random_types.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/refused_derivatives.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

OpInfo kNativeDropout{"native_dropout", "NativeDropoutBackward0", "g * mask / (1 - p)"};
OpInfo kRrelu{"rrelu", "RreluWithNoiseBackward0", "g * slope"};
OpInfo kRreluInplace{"rrelu_", "RreluWithNoiseBackward1", "g * slope"};

struct Kind {
  bool feature;  // whole channels are dropped together
  bool alpha;    // to the value where selu saturates, not to zero
  bool inplace;
};

Tensor multiply(const Tensor& a, const Tensor& b, bool inplace) {
  return inplace ? elementwise_inplace(OpId::mul, {a, b}) : elementwise(OpId::mul, {a, b});
}

// One number for every element of the input, or for every channel.
Tensor unfilled_noise(const Tensor& input, bool feature) {
  if (!feature) return empty_strided(input.sizes(), dense_strides_like(input), input.dtype());
  if (input.ndim() < 2)
    raise(PyExc_RuntimeError, "Feature dropout requires at least 2 dimensions in the input, but it has ", input.ndim());
  Dims sizes(input.sizes());
  for (int i = 2; i < input.ndim(); ++i) sizes[i] = 1;
  return empty(sizes, input.dtype());
}

// A coin toss fits every dtype, but divided by 1 - p it is a float.
void refuse_integers(DType t) {
  if (is_differentiable(t)) return;
  raise(PyExc_RuntimeError, "result type Float can't be cast to the desired output type ", facts(t).tensor_name);
}

// 0 with probability p, else 1 / (1 - p). The noise is dense, and no stream but this reads it, so its memory is filled
// from end to end: that is the order in which a dense tensor is visited.
void fill_noise(const Tensor& noise, double p) {
  if (!is_differentiable(noise.dtype())) bernoulli_(noise, 1 - p, nullptr);  // tossed all the same, as in PyTorch
  refuse_integers(noise.dtype());
  require_float("bernoulli_scalar_cpu_", noise.dtype());
  backend().random->dropout({chosen(nullptr), noise.dtype(), noise->data, noise.numel(), true, {}, {}}, p);
}

// PyTorch's self-normalising dropout: each step rounds to the dtype.
Tensor alpha_noise(const Tensor& noise, double p, Tensor& shift) {
  constexpr double kAlpha = 1.7580993408473766;
  double a = 1.0 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  GradModeScope off(false);
  bernoulli_(noise, 1 - p, nullptr);
  refuse_integers(noise.dtype());
  shift = elementwise(OpId::add, {noise, Operand(-1.0)});
  elementwise_inplace(OpId::mul, {shift, Operand(kAlpha * a)});
  elementwise_inplace(OpId::add, {shift, Operand(kAlpha * a * p)});
  return elementwise_inplace(OpId::mul, {noise, Operand(a)});
}

bool is_fused() { return backend().random->fused_dropout.run; }

Tensor drop(const Tensor& input, double p, bool train, Kind kind) {
  random::check_dropout(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (is_fused() && p < 1 && !kind.feature && !kind.alpha && !kind.inplace) return native_dropout(input, p, true).first;
  if (p == 1) return multiply(input, zeros({}, input.dtype()), kind.inplace);
  Tensor noise = unfilled_noise(input, kind.feature);
  if (!kind.alpha) {
    fill_noise(noise, p);
    return multiply(input, noise, kind.inplace);
  }
  Tensor shift;
  alpha_noise(noise, p, shift);
  return elementwise_inplace(OpId::add, {multiply(input, noise, kind.inplace), shift});
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) { return drop(input, p, train, {false, false, false}); }
Tensor dropout_(const Tensor& self, double p, bool train) { return drop(self, p, train, {false, false, true}); }
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, {true, false, false});
}
Tensor feature_dropout_(const Tensor& self, double p, bool train) { return drop(self, p, train, {true, false, true}); }
Tensor alpha_dropout(const Tensor& input, double p, bool train) { return drop(input, p, train, {false, true, false}); }
Tensor alpha_dropout_(const Tensor& self, double p, bool train) { return drop(self, p, train, {false, true, true}); }
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, {true, true, false});
}
Tensor feature_alpha_dropout_(const Tensor& self, double p, bool train) {
  return drop(self, p, train, {true, true, true});
}

namespace {

struct Dropped {
  Tensor result, mask;
};

Dropped composed(const Tensor& input, double p, double scale) {
  Tensor mask = empty_strided(input.sizes(), dense_strides_like(input), DType::Bool);
  bernoulli_(mask, 1 - p, nullptr);
  Tensor result = elementwise(OpId::mul, {input, mask});
  return {elementwise_inplace(OpId::mul, {result, scalar_tensor(Scalar(scale), input.dtype())}), mask};
}

// In one pass, by a stream of its own.
Dropped fused(const Tensor& input, double p) {
  require_float("fused_dropout", input.dtype());
  const Dims strides = dense_strides_like(input);
  Dropped d{empty_strided(input.sizes(), strides, input.dtype()), empty_strided(input.sizes(), strides, DType::Bool)};
  backend().random->fused_dropout({chosen(nullptr), input.dtype(), input->data, d.result->data, d.mask.data<bool>(),
                                   input.numel(), equal(input.strides(), strides), input.sizes(), input.strides(),
                                   strides, 1 - p});
  return d;
}

Dropped kept(const Tensor& input) {
  Tensor mask = empty_strided(input.sizes(), dense_strides_like(input), DType::Bool);
  fill(mask, Scalar::of_int(1), Place::Itself);
  return {clone(input), mask};
}

Dropped nothing_left(const Tensor& input) {
  Dropped d = kept(input);
  return {fill(d.result, Scalar::of_int(0), Place::Itself), fill(d.mask, Scalar::of_int(0), Place::Itself)};
}

Dropped drop_with_mask(const Tensor& input, double p, bool drops, double scale) {
  GradModeScope off(false);
  if (!drops) return kept(input);
  refuse_integers(input.dtype());
  if (!is_fused()) return composed(input, p, scale);
  return p == 1 ? nothing_left(input) : fused(input, p);
}

}  // namespace

std::pair<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train) {
  if (input.numel() == 0) return {input, empty(input.sizes(), input.dtype())};
  const bool drops = train.value_or(true);
  const double scale = !drops || p == 1 ? 1 : 1 / (1 - p);
  auto [result, mask] = drop_with_mask(input, p, drops, scale);
  result = record(kNativeDropout, result, {&input}, {&mask}, [scale](Backward& b) {
    b.give(0, elementwise(OpId::mul, {elementwise(OpId::mul, {b.g(), b.saved(0)}), Operand(scale)}));
  });
  return {result, mask};
}

namespace {

// The value, and what its gradient needs: the slopes drawn while training, else where the input is positive.
struct Rrelu {
  Tensor value, saved;
};

Rrelu trained(const Tensor& input, double lower, double upper, Generator& generator) {
  if (input.dtype() == DType::Float16 && generator.device() == Device::CPU)
    refuse_dtype("rrelu_with_noise_out_cpu", input.dtype());
  Rrelu r{empty(input.sizes(), input.dtype()), empty(input.sizes(), input.dtype())};
  Tensor packed = contiguous(input);
  require_float("rrelu_with_noise_out_cpu", input.dtype());
  backend().random->rrelu(
      {generator, input.dtype(), r.value->data, r.saved->data, packed->data, input.numel(), lower, upper});
  return r;
}

Rrelu evaluate(const Tensor& input, double lower, double upper, bool training, Generator* generator) {
  random::check_rrelu(lower, upper);
  GradModeScope off(false);
  if (training) return trained(input, lower, upper, chosen(generator));
  double slope = (lower + upper) / 2;
  return {elementwise(OpId::leaky_relu, {input}, &slope), elementwise(OpId::gt, {input, Operand(0.0)})};
}

auto rrelu_gradient(double lower, double upper, bool training, bool inplace = false) {
  return [slope = (lower + upper) / 2, training, inplace](Backward& b) {
    if (inplace && !training && slope < 0) refuse_negative_slope("leakyReLu");
    Tensor g = b.g(), saved = b.saved(0);
    if (training) return b.give(0, elementwise(OpId::mul, {g, saved}));
    b.give(0, elementwise(OpId::where, {saved, g, elementwise(OpId::mul, {g, Operand(slope)})}));
  };
}

}  // namespace

Tensor rrelu(const Tensor& input, double lower, double upper, bool training, Generator* generator) {
  Rrelu r = evaluate(input, lower, upper, training, generator);
  return record(kRrelu, r.value, {&input}, {&r.saved}, rrelu_gradient(lower, upper, training));
}

Tensor rrelu_(const Tensor& self, double lower, double upper, bool training, Generator* generator) {
  bool recorded = grad_enabled() && requires_grad(self);
  check_inplace(self, recorded);
  check_no_overlap(self);
  Rrelu r = evaluate(self, lower, upper, training, generator);
  copy_elements(self, r.value);
  const Tensor *inputs[] = {&self}, *saved[] = {&r.saved};
  return record_written(kRreluInplace, inputs, saved, rrelu_gradient(lower, upper, training, true));
}

}  // namespace chainrule
