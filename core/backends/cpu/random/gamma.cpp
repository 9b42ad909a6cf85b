// Gamma variates by Marsaglia and Tsang's rejection, and Dirichlet points made of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "backends/cpu/random/random.hpp"

namespace chainrule::cpu::random {

namespace {

// For alpha >= 1. The constants 1/3 and 0.0331 are float32 numbers, as in PyTorch.
template <class T>
double sample_above_one(MersenneTwister& generator, T alpha, double scale) {
  double d = alpha - T(1.0f / 3.0f), c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    double x, y;
    do {
      x = generator.normal();
      y = 1.0 + c * x;
    } while (y <= 0);
    double v = y * y * y, u = 1 - generator.unit53(), square = x * x;
    if (u < 1.0 - double(0.0331f) * square * square || std::log(u) < 0.5 * square + d * (1.0 - v + std::log(v)))
      return scale * d * v;
  }
}

// Below one: a variate of alpha + 1, scaled by a power of a uniform.
template <class T>
T sample_gamma(MersenneTwister& generator, T alpha) {
  constexpr T kSmallest = std::numeric_limits<T>::min();
  if (alpha == 0) return kSmallest;
  double scale = 1.0;
  if (alpha < 1) {
    scale = std::pow(1 - generator.unit53(), double(1 / alpha));
    alpha += 1;
  }
  return std::max(kSmallest, T(sample_above_one(generator, alpha, scale)));
}

// A sum in the order in which PyTorch adds a row of doubles: 16 strands, each collected in ever larger groups, which
// then fold into four lanes. Another order would move the last bits.
double row_sum(const double* x, int64_t n) {
  constexpr int kLanes = 4, kStrands = 16, kLevels = 4;
  double sums[kLevels][kStrands] = {};
  auto carry = [&](int level) {
    for (int s = 0; s < kStrands; ++s) sums[level][s] += std::exchange(sums[level - 1][s], 0.0);
  };
  int64_t rows = n / kStrands, added = rows * kStrands;
  int power = rows > 1 ? std::max(4, int(std::bit_width(uint64_t(rows - 1))) / kLevels) : 4;
  for (int64_t row = 1; row <= rows; ++row) {
    for (int s = 0; s < kStrands; ++s) sums[0][s] += x[(row - 1) * kStrands + s];
    for (int level = 1; level < kLevels && row % (int64_t(1) << power * level) == 0; ++level) carry(level);
  }
  double* lanes = sums[0];
  for (int level = 1; level < kLevels; ++level)
    for (int s = 0; s < kStrands; ++s) lanes[s] += sums[level][s];
  for (; added + kLanes <= n; added += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += x[added + lane];
  for (int s = kLanes; s < kStrands; ++s) lanes[s % kLanes] += lanes[s];
  double sum = std::accumulate(x + added, x + n, 0.0);
  return std::accumulate(lanes, lanes + kLanes, sum);
}

// Strictly inside the simplex as far as T can tell, so that logarithms stay finite.
template <class T>
void normalise(T* out, const double* variates, int64_t n) {
  double sum = row_sum(variates, n);
  for (int64_t i = 0; i < n; ++i)
    out[i] = std::clamp(T(variates[i] / sum), std::numeric_limits<T>::min(), std::nextafter(T(1), T(0)));
}

}  // namespace

template <class T>
void standard_gamma(MersenneTwister& generator, T* out, const T* alpha, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = sample_gamma(generator, alpha[i]);
}

template <class T>
void dirichlet(MersenneTwister& generator, T* out, const T* alpha, int64_t rows, int64_t columns) {
  std::vector<double> variates(columns);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < columns; ++i) variates[i] = sample_gamma(generator, double(alpha[row * columns + i]));
    normalise(out + row * columns, variates.data(), columns);
  }
}

template void standard_gamma<float>(MersenneTwister&, float*, const float*, int64_t);
template void standard_gamma<double>(MersenneTwister&, double*, const double*, int64_t);
template void dirichlet<float>(MersenneTwister&, float*, const float*, int64_t, int64_t);
template void dirichlet<double>(MersenneTwister&, double*, const double*, int64_t, int64_t);

}  // namespace chainrule::cpu::random
