// Binomial counts: by skipping from success to success when few are expected, else by transformed rejection (BTRS).
#include <cmath>

#include "backends/cpu/random/random.hpp"

namespace chainrule::cpu::random {

namespace {

// What Stirling's series leaves out of log(k!).
double stirling_tail(double k) {
  static constexpr double kTable[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                      0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                      0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTable[int(k)];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The distances between successes are geometric.
template <class T>
T count_skips(MersenneTwister& generator, T count, T p) {
  double log_failure = std::log1p(-p), sum = 0, successes = 0;  // log1p of T, rounded to T
  while (true) {
    sum += std::ceil(std::log(generator.unit53()) / log_failure);
    if (sum > double(count)) return T(successes);
    ++successes;
  }
}

template <class T>
T transformed_rejection(MersenneTwister& generator, T count, T p) {
  double deviation = std::sqrt(count * p * (1 - p));
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, center = count * p + 0.5;
  double accepted_at_once = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  double mode = std::floor((count + 1) * p), n = count;
  while (true) {
    double u = generator.unit53() - 0.5, v = generator.unit53(), s = 0.5 - std::fabs(u);
    T k = T(std::floor((2 * a / s + b) * u + center));
    if (k < 0 || k > count) continue;
    if (s >= 0.07 && v <= accepted_at_once) return k;
    double others = count - k + 1;
    double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                   (count + 1) * std::log((n - mode + 1) / others) +
                   (double(k) + 0.5) * std::log(odds * others / (k + 1)) + stirling_tail(mode) +
                   stirling_tail(n - mode) - stirling_tail(k) - stirling_tail(count - k);
    if (std::log(v * alpha / (a / (s * s) + b)) <= bound) return k;
  }
}

template <class T>
T sample_up_to_half(MersenneTwister& generator, T count, T p) {
  return count * p >= 10 ? transformed_rejection(generator, count, p) : count_skips(generator, count, p);
}

template <class T>
T sample_binomial(MersenneTwister& generator, T count, T p) {
  if (count != count) return count;  // it would never be reached
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (p <= T(0.5)) return sample_up_to_half(generator, count, p);
  if (p > T(0.5)) return count - sample_up_to_half(generator, count, T(1.0 - double(p)));
  return std::nan("");  // neither: p is not a number
}

}  // namespace

template <class T>
void binomial(MersenneTwister& generator, T* out, const T* count, const T* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = sample_binomial(generator, count[i], p[i]);
}

template void binomial<float>(MersenneTwister&, float*, const float*, const float*, int64_t);
template void binomial<double>(MersenneTwister&, double*, const double*, const double*, int64_t);

}  // namespace chainrule::cpu::random
