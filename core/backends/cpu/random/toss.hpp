// Coin tosses with a common probability, the stream under bernoulli_ and dropout.
#pragma once
#include <algorithm>
#include <cmath>

#include "backends/cpu/random/streams.hpp"
#include "backends/mersenne_twister.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

using namespace chainrule::random;

// `heads` with probability p, else zero. u < p is decided on the 53 bits of u themselves, against p scaled up.
template <class T>
void fill_tosses(MersenneTwister& generator, T* out, int64_t n, double p, T heads) {
  constexpr int64_t kTile = 512;
  uint32_t draws[2 * kTile];
  uint8_t below[kTile];
  uint64_t limit = uint64_t(std::ceil(p * 0x1p53));
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = std::min(kTile, n - i);
    generator.random(draws, 2 * count);
    CR_DISPATCH(below_limit)(draws, below, count, limit);
    if constexpr (is_half_width<T>)  // as bits: a choice between structs would not vectorise
      for (int64_t j = 0; j < count; ++j) out[i + j].bits = below[j] ? heads.bits : 0;
    else
      for (int64_t j = 0; j < count; ++j) out[i + j] = below[j] ? heads : T(0);
  }
}

}  // namespace chainrule::cpu::random
