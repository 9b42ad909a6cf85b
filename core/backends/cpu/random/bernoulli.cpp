// Coin tosses: with one probability for all, or one for each element.
#include <stdexcept>

#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/cpu/random/toss.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

template <class T>
void bernoulli(MersenneTwister& generator, T* out, int64_t n, double p) {
  fill_tosses(generator, out, n, p, convert<T>(1));
}

template <class T, class P>
void bernoulli(MersenneTwister& generator, T* out, const P* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    Working<P> probability = Working<P>(p[i]);
    if (!(probability >= 0 && probability <= 1))
      throw std::runtime_error("Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
    if constexpr (std::is_same_v<P, double>)
      out[i] = convert<T>(generator.unit53() < probability);
    else
      out[i] = convert<T>(generator.unit24() < probability);
  }
}

#define CR_FROM(T, P) template void bernoulli<T, P>(MersenneTwister&, T*, const P*, int64_t);
#define CR_NUMBER(T)                                                 \
  template void bernoulli<T>(MersenneTwister&, T*, int64_t, double); \
  CR_FROM(T, float) CR_FROM(T, double) CR_FROM(T, Half) CR_FROM(T, BFloat16)
CR_NUMBER(bool)
CR_EACH_INTEGER(CR_NUMBER)
CR_EACH_FLOAT(CR_NUMBER)
#undef CR_NUMBER
#undef CR_FROM

}  // namespace chainrule::cpu::random
