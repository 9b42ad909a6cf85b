// Poisson counts: by multiplying uniforms for small rates, by transformed rejection (Hoermann's PTRS) for larger ones.
#include <cmath>
#include <stdexcept>

#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

namespace {

int64_t multiply_until_below(MersenneTwister& generator, double rate) {
  double limit = std::exp(-rate), product = 1.0;
  for (int64_t count = 0;; ++count) {
    product *= generator.unit53();
    if (!(product > limit)) return count;
  }
}

int64_t transformed_rejection(MersenneTwister& generator, double rate) {
  double log_rate = std::log(rate);
  double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), accepted_at_once = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    double u = generator.unit53() - 0.5, v = generator.unit53(), s = 0.5 - std::fabs(u);
    int64_t k = int64_t(std::floor((2 * a / s + b) * u + rate + 0.43));
    if (s >= 0.07 && v <= accepted_at_once) return k;
    if (k < 0 || (s < 0.013 && v > s)) continue;
    double density = -rate + double(k) * log_rate - std::lgamma(double(k) + 1);
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (s * s) + b) <= density) return k;
  }
}

int64_t sample_poisson(MersenneTwister& generator, double rate) {
  if (!(rate >= 0)) throw std::runtime_error("invalid Poisson rate, expected rate to be non-negative");
  if (rate >= 10) return transformed_rejection(generator, rate);
  return rate == 0 ? 0 : multiply_until_below(generator, rate);
}

}  // namespace

template <class T>
void poisson(MersenneTwister& generator, T* out, const T* rate, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(sample_poisson(generator, double(Working<T>(rate[i]))));
}

#define CR_FLOAT(T) template void poisson<T>(MersenneTwister&, T*, const T*, int64_t);
CR_EACH_FLOAT(CR_FLOAT)
#undef CR_FLOAT

}  // namespace chainrule::cpu::random
