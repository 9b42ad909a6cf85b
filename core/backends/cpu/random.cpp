// From descriptions to the streams of their element types.
#include "backends/random.hpp"

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/random/types.hpp"

namespace chainrule::cpu {
namespace {

using chainrule::random::by_float_type;
using chainrule::random::by_type;

template <class T>
T* as(char* data) {
  return reinterpret_cast<T*>(data);
}
template <class T>
const T* as(const char* data) {
  return reinterpret_cast<const T*>(data);
}

// Calls fill(out, n) for contiguous memory at once, for anything else piece by piece.
template <class T, class F>
void fill_elements(const RandomFill& f, F fill) {
  if (f.contiguous) return fill(as<T>(f.out), f.n);
  random::fill_strided(as<T>(f.out), static_cast<int>(f.sizes.size()), f.sizes.data(), f.strides.data(), fill);
}
template <class F>
void fill_floats(const RandomFill& f, F fill) {
  by_float_type(f.dtype, [&]<class T>(T) { fill_elements<T>(f, fill); });
}
template <class F>
void fill_numbers(const RandomFill& f, F fill) {
  by_type(f.dtype, [&]<class T>(T) { fill_elements<T>(f, fill); });
}

void uniform(const RandomFill& f, double from, double to) {
  fill_floats(f, [&](auto* out, int64_t n) { random::uniform(f.generator.twister(), out, n, from, to); });
}
void normal(const RandomFill& f, double mean, double std) {
  fill_floats(f, [&](auto* out, int64_t n) {
    if (f.contiguous)
      random::normal(f.generator.twister(), out, n, mean, std);
    else
      random::normal_serial(f.generator.twister(), out, n, mean, std);
  });
}
void log_normal(const RandomFill& f, double mean, double std) {
  fill_floats(f, [&](auto* out, int64_t n) { random::log_normal(f.generator.twister(), out, n, mean, std); });
}
void cauchy(const RandomFill& f, double median, double sigma) {
  fill_floats(f, [&](auto* out, int64_t n) { random::cauchy(f.generator.twister(), out, n, median, sigma); });
}
void exponential(const RandomFill& f, double lambda) {
  fill_floats(f, [&](auto* out, int64_t n) { random::exponential(f.generator.twister(), out, n, lambda); });
}
void dropout(const RandomFill& f, double p) {
  fill_floats(f, [&](auto* out, int64_t n) { random::dropout_noise(f.generator.twister(), out, n, p); });
}

void geometric(const RandomFill& f, double p) {
  by_type(f.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>)
      fill_elements<T>(f, [&](T* out, int64_t n) { random::geometric(f.generator.twister(), out, n, p); });
  });
}
void bernoulli(const RandomFill& f, double p) {
  fill_numbers(f, [&](auto* out, int64_t n) { random::bernoulli(f.generator.twister(), out, n, p); });
}
void integers(const RandomFill& f) {
  fill_numbers(f, [&](auto* out, int64_t n) { random::random_full(f.generator.twister(), out, n); });
}
void integers_between(const RandomFill& f, int64_t from, int64_t to) {
  fill_numbers(f, [&](auto* out, int64_t n) { random::random_range(f.generator.twister(), out, n, from, to); });
}
void integers_from(const RandomFill& f, int64_t from) {
  fill_numbers(f, [&](auto* out, int64_t n) { random::random_from(f.generator.twister(), out, n, from); });
}
void permutation(const RandomFill& f) {
  fill_numbers(f, [&](auto* out, int64_t n) { random::randperm(f.generator.twister(), out, n); });
}

void bernoulli_each(const TossedEach& t) {
  by_type(t.dtype, [&]<class T>(T) {
    by_float_type(t.p_dtype, [&]<class P>(P) {
      auto toss = [&](T* out, const P* p, int64_t n) { random::bernoulli(t.generator.twister(), out, p, n); };
      if (t.contiguous) return toss(as<T>(t.out), as<P>(t.p), t.n);
      random::fill_strided(as<T>(t.out), as<P>(t.p), static_cast<int>(t.sizes.size()), t.sizes.data(), t.strides.data(),
                           t.p_strides.data(), toss);
    });
  });
}

// Calls f with a zero of float or double.
template <class F>
void by_wide_type(DType t, F f) {
  t == DType::Float32 ? f(float()) : f(double());
}

void poisson(const SampledEach& s) {
  by_float_type(s.dtype, [&]<class T>(T) { random::poisson(s.generator.twister(), as<T>(s.out), as<T>(s.a), s.n); });
}
void binomial(const SampledEach& s) {
  by_wide_type(s.dtype,
               [&]<class T>(T) { random::binomial(s.generator.twister(), as<T>(s.out), as<T>(s.a), as<T>(s.b), s.n); });
}
void gamma(const SampledEach& s) {
  by_wide_type(s.dtype,
               [&]<class T>(T) { random::standard_gamma(s.generator.twister(), as<T>(s.out), as<T>(s.a), s.n); });
}
void dirichlet(const SampledEach& s, int64_t columns) {
  by_wide_type(s.dtype, [&]<class T>(T) {
    random::dirichlet(s.generator.twister(), as<T>(s.out), as<T>(s.a), columns ? s.n / columns : 0, columns);
  });
}

void rrelu(const RandomSlopes& s) {
  by_float_type(s.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, Half>) {
      random::rrelu(s.generator.twister(), as<T>(s.out), as<T>(s.noise), as<T>(s.input), s.n, s.lower, s.upper);
    }
  });
}

void check_weights(const WeightedChoice& c, bool together) {
  by_float_type(c.dtype, [&]<class T>(T) { random::check_weights(as<T>(c.weights), c.rows, c.columns, together); });
}
void choose(const WeightedChoice& c, Generator& generator) {
  by_float_type(c.dtype, [&]<class T>(T) {
    random::search_table(generator.twister(), c.indices, as<T>(c.weights), c.rows, c.columns, c.samples);
  });
}
void sample_without_replacement(const WeightedChoice& c, const char* clocks) {
  by_float_type(c.dtype, [&]<class T>(T) {
    random::sample_without_replacement(c.indices, as<T>(c.weights), as<T>(clocks), c.rows, c.columns, c.samples);
  });
}

}  // namespace

constinit const RandomKernels random_kernels{{uniform},        {normal},
                                             {log_normal},     {cauchy},
                                             {exponential},    {dropout},
                                             {geometric},      {bernoulli},
                                             {integers},       {integers_between},
                                             {integers_from},  {permutation},
                                             {bernoulli_each}, {poisson},
                                             {binomial},       {gamma},
                                             {dirichlet},      {rrelu},
                                             {nullptr},        {check_weights},
                                             {choose},         {sample_without_replacement}};

}  // namespace chainrule::cpu
