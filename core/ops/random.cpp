// Filling tensors with random numbers in place.
#include "ops/random.hpp"

#include <limits>

#include "autograd/inplace.hpp"
#include "backends/cpu/random/arguments.hpp"
#include "backends/cpu/random/random.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/promotion.hpp"
#include "ops/random_types.hpp"
#include "ops/view.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

namespace stream = cpu::random;

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

// A complex tensor is filled as twice as many reals.
struct Flat {
  Dims sizes, strides;
};
Flat flat_reals(const Tensor& t) {
  Flat f{Dims(t.sizes()), Dims(t.strides())};
  if (!is_complex(t.dtype())) return f;
  for (int64_t& s : f.strides) s *= 2;
  f.sizes.push_back(2);
  f.strides.push_back(1);
  return f;
}

// Fills contiguous memory at once, anything else in the stream's own order of elements.
template <class T, class F>
void fill_elements(const Tensor& t, F fill) {
  auto* data = reinterpret_cast<T*>(t->data);
  if (t.is_contiguous()) return fill(data, t.numel() * (is_complex(t.dtype()) ? 2 : 1));
  Flat f = flat_reals(t);
  stream::fill_strided(data, f.sizes.size(), f.sizes.data(), f.strides.data(), fill);
}

// One of the streams over `self`, whose dtype must be a float or, with `complex`, two of them.
template <class F>
Tensor fill_floats(OpInfo& op, const char* kernel, const Tensor& self, bool complex, F fill) {
  return overwritten(op, self, [&] {
    by_float_type(kernel, complex ? real_of(self.dtype()) : self.dtype(), [&](auto zero) {
      using T = decltype(zero);
      fill_elements<T>(self, [&](T* out, int64_t n) { fill(out, n); });
    });
  });
}

template <class F>
Tensor fill_numbers(OpInfo& op, const char* kernel, const Tensor& self, F fill) {
  return overwritten(op, self, [&] {
    by_type(kernel, self.dtype(), [&](auto zero) {
      using T = decltype(zero);
      fill_elements<T>(self, [&](T* out, int64_t n) { fill(out, n); });
    });
  });
}

void refuse_complex(const char* function, const Tensor& self) {
  if (is_complex(self.dtype()))
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

Tensor fill_range(OpInfo& op, const Tensor& self, int64_t from, int64_t to, Generator* generator) {
  refuse_complex("check_random_bounds", self);
  if (is_limited(self.dtype())) {  // the stream is the same for all integers
    check(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
    Scalar last = Scalar::of_int(to - 1);
    size_t bytes = size_of(self.dtype());
    check(from >= 0 && fits(last, self.dtype()), from < 0 ? "from" : "to - 1", " is out of bounds for ",
          bytes == 2   ? "short "
          : bytes == 8 ? "long "
                       : "",
          "unsigned int");
    Tensor signed_ones = empty_strided(self.sizes(), dense_strides_like(self), DType::Int64);
    return overwritten(op, self, [&] { copy_elements(self, fill_range(op, signed_ones, from, to, generator)); });
  }
  by_type("random_from_to", self.dtype(), [&](auto zero) { stream::check_random_range<decltype(zero)>(from, to); });
  warn_beyond_digits(self.dtype(), "from", from);
  warn_beyond_digits(self.dtype(), "to - 1", to - 1);
  return fill_numbers(op, "random_from_to", self,
                      [&](auto* out, int64_t n) { stream::random_range(chosen(generator), out, n, from, to); });
}

void check_random_from(const Tensor& self, int64_t from) {
  DType t = self.dtype();
  if (from != std::numeric_limits<int64_t>::min()) {
    refuse_complex("random_from_to_impl", self);
    return by_type("random_from_to", t, [&](auto zero) { stream::check_random_from<decltype(zero)>(from); });
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

Generator& default_generator() {
  static Generator generator = [] {
    Generator g;
    g.seed();
    return g;
  }();
  return generator;
}

Tensor uniform_(const Tensor& self, double from, double to, Generator* generator) {
  by_float_type("check_uniform_bounds", real_of(self.dtype()),
                [&](auto zero) { stream::check_uniform<decltype(zero)>(from, to); });
  return fill_floats(kUniform, "check_uniform_bounds", self, true,
                     [&](auto* out, int64_t n) { stream::uniform(chosen(generator), out, n, from, to); });
}

Tensor normal_(const Tensor& self, double mean, double std, Generator* generator) {
  stream::check_normal(std);
  if (is_complex(self.dtype())) std /= 1.4142135623730951;
  bool whole = self.is_contiguous();
  return fill_floats(kNormal, "normal_kernel_cpu", self, true, [&](auto* out, int64_t n) {
    if (whole)
      stream::normal(chosen(generator), out, n, mean, std);
    else
      stream::normal_serial(chosen(generator), out, n, mean, std);
  });
}

Tensor log_normal_(const Tensor& self, double mean, double std, Generator* generator) {
  stream::check_log_normal(std);
  return fill_floats(kLogNormal, "log_normal_cpu", self, false,
                     [&](auto* out, int64_t n) { stream::log_normal(chosen(generator), out, n, mean, std); });
}

Tensor cauchy_(const Tensor& self, double median, double sigma, Generator* generator) {
  stream::check_cauchy(sigma);
  if (!is_floating(self.dtype())) refuse_discrete("Cauchy", facts(self.dtype()).name);
  return fill_floats(kCauchy, "cauchy_cpu", self, false,
                     [&](auto* out, int64_t n) { stream::cauchy(chosen(generator), out, n, median, sigma); });
}

Tensor exponential_(const Tensor& self, double lambda, Generator* generator) {
  if (self.numel() && !is_floating(self.dtype())) refuse_discrete("Exponential", facts(self.dtype()).tensor_name);
  stream::check_exponential(lambda);
  return fill_floats(kExponential, "exponential_cpu", self, false,
                     [&](auto* out, int64_t n) { stream::exponential(chosen(generator), out, n, lambda); });
}

Tensor geometric_(const Tensor& self, double p, Generator* generator) {
  stream::check_geometric(p);
  return fill_numbers(kGeometric, "geometric_cpu", self, [&]<class T>(T* out, int64_t n) {
    if constexpr (std::is_same_v<T, bool>)
      refuse_dtype("geometric_cpu", DType::Bool);
    else
      stream::geometric(chosen(generator), out, n, p);
  });
}

Tensor bernoulli_(const Tensor& self, double p, Generator* generator) {
  stream::check_bernoulli(p);
  return fill_numbers(kBernoulli, "bernoulli_scalar_cpu_", self,
                      [&](auto* out, int64_t n) { stream::bernoulli(chosen(generator), out, n, p); });
}

Tensor bernoulli_each_(const Tensor& self, const Tensor& p, Generator* generator) {
  Tensor each = detach(expand(p, self.sizes()));
  return overwritten(
      kBernoulliEach, self,
      [&] {
        by_type("bernoulli_tensor_cpu_self_", self.dtype(), [&](auto zero) {
          using T = decltype(zero);
          by_float_type("bernoulli_tensor_cpu_p_", p.dtype(), [&](auto probability) {
            using P = decltype(probability);
            auto draw = [&](T* out, const P* in, int64_t n) { stream::bernoulli(chosen(generator), out, in, n); };
            if (self.is_contiguous() && each.is_contiguous()) return draw(self.data<T>(), each.data<P>(), self.numel());
            stream::fill_strided(self.data<T>(), static_cast<const P*>(each.data<P>()), self.ndim(), self->sizes(),
                                 self->strides(), each->strides(), draw);
          });
        });
      },
      p);
}

Tensor random_(const Tensor& self, Generator* generator) {
  return fill_numbers(kRandom, "random_kernel_cpu", self,
                      [&](auto* out, int64_t n) { stream::random_full(chosen(generator), out, n); });
}

Tensor random_to_(const Tensor& self, int64_t to, Generator* generator) {
  return fill_range(kRandomTo, self, 0, to, generator);
}

Tensor random_between_(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  if (to) return fill_range(kRandomBetween, self, from, *to, generator);
  if (is_limited(self.dtype()) && self.dtype() != DType::UInt64) {  // up to the largest, which belongs to it
    int64_t all = int64_t{1} << (8 * size_of(self.dtype()));
    return fill_range(kRandomBetween, self, from, all, generator);
  }
  check_random_from(self, from);
  return fill_numbers(kRandomBetween, "random_from_to", self,
                      [&](auto* out, int64_t n) { stream::random_from(chosen(generator), out, n, from); });
}

}  // namespace chainrule
