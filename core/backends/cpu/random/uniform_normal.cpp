// Uniform and normal numbers: the two streams that nearly every program draws from, in tiles that stay in cache.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/cpu/random/streams.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

namespace {

constexpr int64_t kTile = 512, kBlock = 16;

void uniform_tile(MersenneTwister& generator, float* out, int64_t n, double from, double to) {
  uint32_t draws[kTile];
  generator.random(draws, n);
  CR_DISPATCH(uniform_floats)(draws, out, n, float(from), float(to));
}

void uniform_tile(MersenneTwister& generator, double* out, int64_t n, double from, double to) {
  uint32_t draws[2 * kTile];
  generator.random(draws, 2 * n);
  CR_DISPATCH(uniform_doubles)(draws, out, n, from, to);
}

// The float32 value rounded, and once more kept below `to`, which rounding may have reached.
template <class T>
void uniform_tile(MersenneTwister& generator, T* out, int64_t n, double from, double to) {
  float values[kTile];
  uniform_tile(generator, values, n, from, to);
  T low = convert<T>(from), high = convert<T>(to);
  uint16_t twin = high.bits & 0x7fff ? high.bits : uint16_t(high.bits ^ 0x8000);  // zero equals zero of the other sign
  for (int64_t i = 0; i < n; ++i) {
    uint16_t bits = T(values[i]).bits;
    out[i].bits = bits == high.bits || bits == twin ? low.bits : bits;
  }
}

// Box-Muller by blocks of 16 uniforms: the first eight give radii, the last eight angles.
void normal_tile(MersenneTwister& generator, float* out, int64_t n, double mean, double std) {
  uint32_t draws[kTile];
  generator.random(draws, n);
  CR_DISPATCH(normal_floats)(draws, out, n / kBlock, float(mean), float(std));
}

void normal_tile(MersenneTwister& generator, double* out, int64_t n, double mean, double std) {
  uniform_tile(generator, out, n, 0.0, 1.0);
  for (double* block = out; block < out + n; block += kBlock)
    for (int j = 0; j < 8; ++j) {
      double radius = std::sqrt(-2.0 * std::log(1.0 - block[j])), angle = 2.0 * std::numbers::pi * block[j + 8];
      block[j] = std::fma(radius * std::cos(angle), std, mean);
      block[j + 8] = std::fma(radius * std::sin(angle), std, mean);
    }
}

template <class T>
void normal_tile(MersenneTwister& generator, T* out, int64_t n, double mean, double std) {
  float values[kTile];
  normal_tile(generator, values, n, mean, std);
  for (int64_t i = 0; i < n; ++i) out[i] = T(values[i]);
}

}  // namespace

template <class T>
void uniform(MersenneTwister& generator, T* out, int64_t n, double from, double to) {
  for (int64_t i = 0; i < n; i += kTile) uniform_tile(generator, out + i, std::min(kTile, n - i), from, to);
}

template <class T>
void normal(MersenneTwister& generator, T* out, int64_t n, double mean, double std) {
  if (n < kBlock) return normal_serial(generator, out, n, mean, std);
  int64_t tail = n % kBlock, whole = n - tail;
  for (int64_t i = 0; i < whole; i += kTile) normal_tile(generator, out + i, std::min(kTile, whole - i), mean, std);
  if (!tail) return;
  // PyTorch draws uniforms for the whole tensor first: the tail's are spent before the last 16 elements are redone.
  if (!is_half_width<T>) generator.discard(sizeof(T) == 8 ? 2 * tail : tail);
  normal_tile(generator, out + n - kBlock, kBlock, mean, std);
}

template <class T>
void normal_serial(MersenneTwister& generator, T* out, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(std::fma(generator.normal(), std, mean));
}

template <class T>
void log_normal(MersenneTwister& generator, T* out, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(std::exp(std::fma(generator.normal(), std, mean)));
}

#define CR_FLOAT(T)                                                              \
  template void uniform<T>(MersenneTwister&, T*, int64_t, double, double);       \
  template void normal<T>(MersenneTwister&, T*, int64_t, double, double);        \
  template void normal_serial<T>(MersenneTwister&, T*, int64_t, double, double); \
  template void log_normal<T>(MersenneTwister&, T*, int64_t, double, double);
CR_EACH_FLOAT(CR_FLOAT)
#undef CR_FLOAT

}  // namespace chainrule::cpu::random
