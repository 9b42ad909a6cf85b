// Filling tensors with random numbers in place.
#include "ops/create/random.hpp"

#include <limits>

#include "autograd/inplace.hpp"
#include "backends/random.hpp"
#include "backends/random/arguments.hpp"
#include "ops/create/create.hpp"
#include "ops/create/random_types.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

OpInfo kUniform{"uniform_", "UniformBackward0", "self: 0"};
OpInfo kNormal{"normal_", "NormalBackward0", "self: 0"};
OpInfo kLogNormal{"log_normal_", "LogNormalBackward0", "self: 0"};
OpInfo kCauchy{"cauchy_", "CauchyBackward0", "self: 0"};
OpInfo kExponential{"exponential_", "ExponentialBackward0", "self: 0"};
OpInfo kGeometric{"geometric_", "GeometricBackward0", "self: 0"};
OpInfo kBernoulliEach{"bernoulli_", "BernoulliBackward1", "self: 0, p: 0"};
OpInfo kBernoulli{"bernoulli_", "BernoulliBackward2", "self: 0"};
OpInfo kRandomBetween{"random_", "RandomBackward0", "self: 0"};
OpInfo kRandomTo{"random_", "RandomBackward1", "self: 0"};
OpInfo kRandom{"random_", "RandomBackward2", "self: 0"};

// Checks that `self` may be written, fills it, counts the write and gives it its new history.
// `other`: a tensor that the numbers depend on, in a way that has no derivative.
template <class F>
Tensor overwritten(OpInfo& op, const Tensor& self, F fill, const Tensor& other = Tensor()) {
  bool recorded = grad_enabled() && (requires_grad(self) || (other && requires_grad(other)));
  check_inplace(self, recorded);
  check_no_overlap(self);
  if (self.numel()) fill();  // an empty tensor draws nothing, whatever its dtype
  mark_written(self);
  forward_mode::forget_tangent(self);
  return recorded ? record_fill(op, self, other) : self;
}

// Calls fill(destination).
template <class F>
void fill_stream(const Tensor& t, Generator* generator, F fill) {
  const bool complex = holds_complex(t.dtype());
  Dims sizes, strides;
  if (complex && !t.is_contiguous()) {
    sizes = Dims(t.sizes()), strides = Dims(t.strides());
    for (int64_t& s : strides) s *= 2;
    sizes.push_back(2);
    strides.push_back(1);
  }
  fill(RandomFill{chosen(generator), real_of(t.dtype()), t->data, t.numel() * (complex ? 2 : 1), t.is_contiguous(),
                  complex ? Span(sizes) : t.sizes(), complex ? Span(strides) : t.strides()});
}

// One of the streams over `self`, whose dtype must be a float or, with `complex`, two of them.
template <class F>
Tensor fill_floats(OpInfo& op, const char* kernel, const Tensor& self, bool complex, Generator* generator, F fill) {
  return overwritten(op, self, [&] {
    require_float(kernel, complex ? real_of(self.dtype()) : self.dtype());
    fill_stream(self, generator, fill);
  });
}

template <class F>
Tensor fill_numbers(OpInfo& op, const char* kernel, const Tensor& self, Generator* generator, F fill) {
  return overwritten(op, self, [&] {
    require_number(kernel, self.dtype());
    fill_stream(self, generator, fill);
  });
}

void refuse_complex(const char* function, const Tensor& self) {
  if (holds_complex(self.dtype()))
    raise(PyExc_RuntimeError, function, " handles only integral, floating-point and boolean types");
}

// Whole numbers beyond the digits of a floating dtype leave gaps.
void warn_beyond_digits(DType dtype, const std::string& name, int64_t value) {
  if (!is_floating(dtype)) return;
  int digits = dtype == DType::Float64 ? 53 : dtype == DType::Float32 ? 24 : dtype == DType::Float16 ? 11 : 8;
  int64_t limit = int64_t{1} << digits;
  if (value >= -limit && value <= limit) return;
  std::string d = std::to_string(digits);
  std::string text = name + " is out of bounds [-(2^" + d + "), 2^" + d + "]. Due to precision limitations " +
                     facts(dtype).cpp_name +
                     " can support discrete uniform distribution only within this range. This warning will become an "
                     "error in version 1.7 release, please fix the code in advance";
  from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
}

// A limited dtype has no negative numbers; what int64 can say is never too large for uint64.
void check_unsigned_bound(const char* name, DType dtype, int64_t value) {
  const size_t bytes = size_of(dtype);
  check(value >= 0 && (bytes == 8 || value < int64_t{1} << (8 * bytes)), name, " is out of bounds for ",
        bytes == 2   ? "short "
        : bytes == 8 ? "long "
                     : "",
        "unsigned int");
}

Tensor fill_range(OpInfo& op, const Tensor& self, int64_t from, int64_t to, Generator* generator) {
  refuse_complex("check_random_bounds", self);
  if (is_limited(self.dtype())) {  // the stream is the same for all integers
    check(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
    check_unsigned_bound("from", self.dtype(), from);
    check_unsigned_bound("to - 1", self.dtype(), to - 1);
    Tensor signed_ones = empty_strided(self.sizes(), dense_strides_like(self), DType::Int64);
    return overwritten(op, self, [&] { copy_elements(self, fill_range(op, signed_ones, from, to, generator)); });
  }
  require_number("random_from_to", self.dtype());
  random::check_random_range(self.dtype(), from, to);
  warn_beyond_digits(self.dtype(), "from", from);
  warn_beyond_digits(self.dtype(), "to - 1", to - 1);
  return fill_numbers(op, "random_from_to", self, generator,
                      [&](const RandomFill& f) { backend().random->integers_between(f, from, to); });
}

void check_random_from(const Tensor& self, int64_t from) {
  DType t = self.dtype();
  if (from != std::numeric_limits<int64_t>::min()) {
    refuse_complex("random_from_to_impl", self);
    require_number("random_from_to", t);
    return random::check_random_from(t, from);
  }
  if (t == DType::Int64 || t == DType::Float64 || t == DType::Float32 || t == DType::BFloat16) return;
  if (!is_integral(t)) refuse_dtype("random_full_64_bits_range_kernel_cpu", t);
  raise(PyExc_RuntimeError, "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16, not ",
        facts(t).name, "; give `to` as well");
}

[[noreturn]] void refuse_discrete(const char* distribution, const char* dtype) {
  raise(PyExc_RuntimeError, distribution,
        " distribution is a continuous probability distribution. dtype must be a floating point but you specified ",
        dtype);
}

}  // namespace

Tensor uniform_(const Tensor& self, double from, double to, Generator* generator) {
  require_float("check_uniform_bounds", real_of(self.dtype()));
  random::check_uniform(real_of(self.dtype()), from, to);
  return fill_floats(kUniform, "check_uniform_bounds", self, true, generator,
                     [&](const RandomFill& f) { backend().random->uniform(f, from, to); });
}

Tensor normal_(const Tensor& self, double mean, double std, Generator* generator) {
  random::check_normal(std);
  if (holds_complex(self.dtype())) std /= 1.4142135623730951;
  return fill_floats(kNormal, "normal_kernel_cpu", self, true, generator,
                     [&](const RandomFill& f) { backend().random->normal(f, mean, std); });
}

Tensor log_normal_(const Tensor& self, double mean, double std, Generator* generator) {
  random::check_log_normal(std);
  return fill_floats(kLogNormal, "log_normal_cpu", self, false, generator,
                     [&](const RandomFill& f) { backend().random->log_normal(f, mean, std); });
}

Tensor cauchy_(const Tensor& self, double median, double sigma, Generator* generator) {
  random::check_cauchy(sigma);
  if (!is_floating(self.dtype())) refuse_discrete("Cauchy", facts(self.dtype()).name);
  return fill_floats(kCauchy, "cauchy_cpu", self, false, generator,
                     [&](const RandomFill& f) { backend().random->cauchy(f, median, sigma); });
}

Tensor exponential_(const Tensor& self, double lambda, Generator* generator) {
  if (self.numel() && !is_floating(self.dtype())) refuse_discrete("Exponential", facts(self.dtype()).tensor_name);
  random::check_exponential(lambda);
  return fill_floats(kExponential, "exponential_cpu", self, false, generator,
                     [&](const RandomFill& f) { backend().random->exponential(f, lambda); });
}

Tensor geometric_(const Tensor& self, double p, Generator* generator) {
  random::check_geometric(p);
  return fill_numbers(kGeometric, "geometric_cpu", self, generator, [&](const RandomFill& f) {
    if (is_bool(f.dtype)) refuse_dtype("geometric_cpu", f.dtype);
    backend().random->geometric(f, p);
  });
}

Tensor bernoulli_(const Tensor& self, double p, Generator* generator) {
  random::check_bernoulli(p);
  return fill_numbers(kBernoulli, "bernoulli_scalar_cpu_", self, generator,
                      [&](const RandomFill& f) { backend().random->bernoulli(f, p); });
}

Tensor bernoulli_each_(const Tensor& self, const Tensor& p, Generator* generator) {
  Tensor each = detach(expand(p, self.sizes()));
  return overwritten(
      kBernoulliEach, self,
      [&] {
        require_number("bernoulli_tensor_cpu_self_", self.dtype());
        require_float("bernoulli_tensor_cpu_p_", p.dtype());
        backend().random->bernoulli_each({chosen(generator), self.dtype(), p.dtype(), self->data, each->data,
                                          self.numel(), self.is_contiguous() && each.is_contiguous(), self.sizes(),
                                          self.strides(), each.strides()});
      },
      p);
}

Tensor random_(const Tensor& self, Generator* generator) {
  return fill_numbers(kRandom, "random_kernel_cpu", self, generator,
                      [&](const RandomFill& f) { backend().random->integers(f); });
}

Tensor random_to_(const Tensor& self, int64_t to, Generator* generator) {
  return fill_range(kRandomTo, self, 0, to, generator);
}

Tensor random_between_(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  if (to) return fill_range(kRandomBetween, self, from, *to, generator);
  if (is_limited(self.dtype())) {  // up to the largest, which belongs to it
    check(self.dtype() != DType::UInt64, "to - 1 is out of bounds for long unsigned int");
    int64_t all = int64_t{1} << (8 * size_of(self.dtype()));
    return fill_range(kRandomBetween, self, from, all, generator);
  }
  check_random_from(self, from);
  return fill_numbers(kRandomBetween, "random_from_to", self, generator,
                      [&](const RandomFill& f) { backend().random->integers_from(f, from); });
}

}  // namespace chainrule
