// Distributions that transform one uniform double through the C library, value by value.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/cpu/random/streams.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

namespace {

template <class T, class F>
void transform_uniforms(MersenneTwister& generator, T* out, int64_t n, F&& value) {
  constexpr int64_t kTile = 256;
  uint32_t draws[2 * kTile];
  double uniforms[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = std::min(kTile, n - i);
    generator.random(draws, 2 * count);
    CR_DISPATCH(uniform_doubles)(draws, uniforms, count, 0.0, 1.0);
    for (int64_t j = 0; j < count; ++j) out[i + j] = convert<T>(value(uniforms[j]));
  }
}

}  // namespace

template <class T>
void exponential(MersenneTwister& generator, T* out, int64_t n, double lambda) {
  double scale = -1.0 / lambda;
  transform_uniforms(generator, out, n, [=](double u) { return scale * std::log1p(-u); });
}

template <class T>
void geometric(MersenneTwister& generator, T* out, int64_t n, double p) {
  double log_failure = std::log1p(-p);
  transform_uniforms(generator, out, n, [=](double u) { return std::ceil(std::log(u) / log_failure); });
}

template <class T>
void cauchy(MersenneTwister& generator, T* out, int64_t n, double median, double sigma) {
  transform_uniforms(generator, out, n,
                     [=](double u) { return std::fma(sigma, std::tan(std::numbers::pi * (u - 0.5)), median); });
}

#define CR_GEOMETRIC(T) template void geometric<T>(MersenneTwister&, T*, int64_t, double);
#define CR_CONTINUOUS(T)                                               \
  template void exponential<T>(MersenneTwister&, T*, int64_t, double); \
  template void cauchy<T>(MersenneTwister&, T*, int64_t, double, double);
CR_EACH_INTEGER(CR_GEOMETRIC)
CR_EACH_FLOAT(CR_GEOMETRIC)
CR_EACH_FLOAT(CR_CONTINUOUS)
#undef CR_CONTINUOUS
#undef CR_GEOMETRIC

}  // namespace chainrule::cpu::random
