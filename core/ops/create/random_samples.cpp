// Fresh tensors drawn from distributions whose parameters are tensors.
#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "backends/random.hpp"
#include "backends/random/arguments.hpp"
#include "ops/create/create.hpp"
#include "ops/create/random.hpp"
#include "ops/create/random_types.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

OpInfo kBernoulliSample{"bernoulli", "BernoulliBackward0", "0"};
OpInfo kBernoulliLike{"bernoulli", "NotImplemented", "none: PyTorch has no derivative here"};
OpInfo kNormalAround{"normal", "NormalBackward1", "mean: 0"};
OpInfo kNormalSpread{"normal", "NormalBackward2", "std: 0"};
OpInfo kNormalEach{"normal", "NormalBackward3", "mean: 0, std: 0"};
OpInfo kPoisson{"poisson", "PoissonBackward0", "0"};
OpInfo kBinomial{"binomial", "NotImplemented", "none: PyTorch has no derivative here"};

// A sample does not follow its parameters: while it is drawn, no history is recorded and no tangent passed on.
struct DrawingScope {
  GradModeScope unrecorded{false};
  forward_mode::PauseScope without_tangents;
};
// So their gradients are zero.
Tensor record_zero(OpInfo& op, const Tensor& result, std::initializer_list<const Tensor*> inputs) {
  return record(op, result, inputs, {}, [n = static_cast<int>(inputs.size())](Backward& b) {
    for (int i = 0; i < n; ++i) {
      if (b.needs(i)) b.give(i, zeros(b.g().sizes(), b.g().dtype()));
    }
  });
}

Tensor record_refusal(OpInfo& op, const Tensor& result, std::initializer_list<const Tensor*> inputs) {
  return record(op, result, inputs, {}, [name = op.name](Backward&) {
    raise(PyExc_RuntimeError, "derivative for aten::", name, " is not implemented");
  });
}

// Where the samples go: a fresh contiguous tensor, or `out` brought to the shape.
Tensor destination(const Tensor& out, Span sizes, DType dtype, bool warns = true) {
  if (!out) return empty(sizes, dtype);
  if (warns)
    prepare_out(out, sizes);
  else if (!equal(out.sizes(), sizes))
    resize(out, sizes);
  return out;
}

// Values of a parameter, one after another, without history.
Tensor plain(const Tensor& t) {
  GradModeScope off(false);
  return contiguous(t);
}

void check_spread(const Tensor& std) {
  if (is_complex(std.dtype())) raise(PyExc_RuntimeError, "normal expects standard deviation to be non-complex");
  if (std.numel() == 0) return;
  GradModeScope off(false);
  Tensor negative = elementwise(OpId::lt, {std, Operand(0.0)});
  if (item(any(negative, {}, false)).integer) raise(PyExc_RuntimeError, "normal expects all elements of std >= 0.0");
}

}  // namespace

Tensor randperm(int64_t n, DType dtype, Generator* generator, const Tensor& out) {
  if (out && n < 0) raise(PyExc_RuntimeError, "n must be non-negative, got", n);
  if (out) check_out_unrecorded("aten::randperm", {&out});
  if (out) dtype = out.dtype();
  if (dtype == DType::Bool || is_complex(dtype)) refuse_dtype("randperm", dtype);
  Tensor result = destination(out, Dims{n}, dtype, false);
  Tensor whole = result.is_contiguous() ? result : empty(Dims{n}, dtype);
  require_number("randperm", dtype);
  random::check_randperm(dtype, n);
  backend().random->permutation({chosen(generator), dtype, whole->data, n, true, {}, {}});
  if (whole.get() != result.get()) copy_elements(result, whole);
  if (out) mark_written(out);
  return result;
}

Tensor bernoulli(const Tensor& p, Generator* generator, const Tensor& out) {
  if (out) check_out_unrecorded("bernoulli", {&out, &p});
  Tensor result = destination(out, p.sizes(), p.dtype(), false);
  {
    GradModeScope off(false);
    bernoulli_each_(result, p, generator);
  }
  return out ? result : record_zero(kBernoulliSample, result, {&p});
}

Tensor bernoulli_like(const Tensor& like, double p, Generator* generator) {
  Tensor result = empty(like.sizes(), like.dtype());
  return record_refusal(kBernoulliLike, bernoulli_(result, p, generator), {&like});
}

Tensor normal_around(const Tensor& mean, double std, Generator* generator, const Tensor& out) {
  if (out) check_out_unrecorded("normal", {&out, &mean});
  random::check_normal(std);
  // An `out` is broadcast like an operand, as in PyTorch.
  Dims sizes = out ? broadcast_shapes(mean.sizes(), out.sizes(), "normal") : Dims(mean.sizes());
  Tensor result = destination(out, sizes, mean.dtype());
  {
    DrawingScope drawing;
    normal_(result, 0, std, generator);
    elementwise_inplace(OpId::add, {result, mean});
  }
  return out ? result : record_zero(kNormalAround, result, {&mean});
}

Tensor normal_spread(double mean, const Tensor& std, Generator* generator, const Tensor& out) {
  if (out) check_out_unrecorded("normal", {&out, &std});
  check_spread(std);
  Tensor result = destination(out, std.sizes(), std.dtype());
  {
    DrawingScope drawing;
    normal_(result, 0, 1, generator);
    elementwise_inplace(OpId::mul, {result, std});
    elementwise_inplace(OpId::add, {result, full({}, mean, result.dtype())});  // rounded first, as in PyTorch
  }
  return out ? result : record_zero(kNormalSpread, result, {&std});
}

Tensor normal_each(const Tensor& mean, const Tensor& std, Generator* generator, const Tensor& out) {
  if (out) check_out_unrecorded("normal", {&out, &mean, &std});
  check_spread(std);
  Dims sizes = broadcast_shapes(mean.sizes(), std.sizes(), "normal");
  Tensor result = destination(out, sizes, mean.dtype());
  {
    DrawingScope drawing;
    normal_(result, 0, 1, generator);
    elementwise_inplace(OpId::mul, {result, std});
    elementwise_inplace(OpId::add, {result, mean});
  }
  return out ? result : record_zero(kNormalEach, result, {&mean, &std});
}

Tensor poisson(const Tensor& rate, Generator* generator) {
  Tensor rates = plain(rate), result = empty(rate.sizes(), rate.dtype());
  require_float("poisson_cpu", rate.dtype());
  backend().random->poisson({chosen(generator), rate.dtype(), result->data, rates->data, nullptr, rate.numel()});
  return record_zero(kPoisson, result, {&rate});
}

Tensor binomial(const Tensor& count, const Tensor& p, Generator* generator) {
  for (auto [t, name] : {std::pair{&count, "count"}, std::pair{&p, "prob"}}) {
    if (is_floating(t->dtype())) continue;
    raise(PyExc_ValueError, "binomial only supports floating-point dtypes for ", name,
          ", got: ", facts(t->dtype()).tensor_name);
  }
  if (count.dtype() != p.dtype()) {
    raise(PyExc_RuntimeError, "Found dtype ", facts(p.dtype()).tensor_name, " but expected ",
          facts(count.dtype()).tensor_name, ": count and prob must have one dtype");
  }
  Generator& numbers = chosen(generator);
  if (size_of(count.dtype()) == 2 && numbers.device() == Device::CPU) refuse_dtype("binomial_cpu", count.dtype());
  Dims sizes = broadcast_shapes(count.sizes(), p.sizes(), "binomial");
  Tensor counts = plain(expand(count, sizes)), each = plain(expand(p, sizes)), result = empty(sizes, count.dtype());
  backend().random->binomial({numbers, count.dtype(), result->data, counts->data, each->data, result.numel()});
  return record_refusal(kBinomial, result, {&count, &p});
}

// draw(samples) for float and double, and on GPUs halves; other dtypes are refused by PyTorch's name of the kernel.
template <class Draw>
Tensor draw_by_alpha(const char* name, const Tensor& alpha, Generator* generator, Draw draw) {
  Generator& numbers = chosen(generator);
  const bool narrow = is_floating(alpha.dtype()) && size_of(alpha.dtype()) == 2;
  if (!is_floating(alpha.dtype()) || (narrow && numbers.device() == Device::CPU)) refuse_dtype(name, alpha.dtype());
  Tensor parameters = plain(alpha), result = empty(alpha.sizes(), alpha.dtype());
  draw(SampledEach{numbers, alpha.dtype(), result->data, parameters->data, nullptr, alpha.numel()});
  return result;
}

Tensor standard_gamma(const Tensor& alpha, Generator* generator) {
  return draw_by_alpha("gamma_cpu", alpha, generator, [](const SampledEach& s) { backend().random->gamma(s); });
}

Tensor dirichlet(const Tensor& alpha, Generator* generator) {
  int64_t columns = alpha.ndim() ? alpha.size(alpha.ndim() - 1) : 1;
  return draw_by_alpha("dirichlet", alpha, generator,
                       [&](const SampledEach& s) { backend().random->dirichlet(s, columns); });
}

Tensor multinomial(const Tensor& weights, int64_t samples, bool replacement, Generator* generator, const Tensor& out) {
  if (out && out.dtype() != DType::Int64)
    raise(PyExc_RuntimeError, "multinomial expects Long tensor out, got: ", facts(out.dtype()).tensor_name);
  if (weights.ndim() < 1 || weights.ndim() > 2) raise(PyExc_RuntimeError, "prob_dist must be 1 or 2 dim");
  if (!is_floating(weights.dtype())) {
    raise(PyExc_RuntimeError,
          "multinomial only supports floating-point dtypes for input, got: ", facts(weights.dtype()).tensor_name);
  }
  int64_t rows = weights.ndim() == 2 ? weights.size(0) : 1, columns = weights.size(weights.ndim() - 1);
  Tensor packed = plain(weights);
  Dims sizes = weights.ndim() == 2 ? Dims{rows, samples} : Dims{samples};
  random::check_multinomial(columns, samples, replacement);
  WeightedChoice choice{weights.dtype(), packed->data, rows, columns, samples, nullptr};
  backend().random->check_weights(choice, !replacement || samples == 1);
  Tensor result = empty(sizes, DType::Int64);
  choice.indices = result.data<int64_t>();
  if (replacement && samples > 1) {
    backend().random->choose(choice, chosen(generator));
  } else {
    Tensor clocks = empty_strided(weights.sizes(), dense_strides_like(weights), weights.dtype());
    clocks = plain(exponential_(clocks, 1, generator));
    backend().random->sample_without_replacement(choice, clocks->data);
  }
  if (!out) return result;
  destination(out, sizes, DType::Int64);
  copy_elements(out, result);
  mark_written(out);
  return out;
}

}  // namespace chainrule
