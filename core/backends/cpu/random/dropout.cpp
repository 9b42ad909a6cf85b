// The noise of the dropout family and of training rrelu.
#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/cpu/random/toss.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

// One rounding of 1 / (1 - p): the divisor of a 16-bit tensor stays float32.
template <class T>
void dropout_noise(MersenneTwister& generator, T* noise, int64_t n, double p) {
  Working<T> kept = Working<T>(1 - p);
  fill_tosses(generator, noise, n, 1 - p, T(Working<T>(1) / kept));
}

template <class T>
void rrelu(MersenneTwister& generator, T* out, T* noise, const T* input, int64_t n, double lower, double upper) {
  using W = Working<T>;
  double low = W(lower), high = W(upper);
  for (int64_t i = 0; i < n; ++i) {
    W x = W(input[i]);
    if (x <= 0) {
      W slope = W(low + (high - low) * generator.unit53());
      noise[i] = T(slope);
      out[i] = T(x * slope);
    } else {
      noise[i] = T(W(1));
      out[i] = input[i];
    }
  }
}

#define CR_FLOAT(T) template void dropout_noise<T>(MersenneTwister&, T*, int64_t, double);
CR_EACH_FLOAT(CR_FLOAT)
#undef CR_FLOAT
template void rrelu<float>(MersenneTwister&, float*, float*, const float*, int64_t, double, double);
template void rrelu<double>(MersenneTwister&, double*, double*, const double*, int64_t, double, double);
template void rrelu<BFloat16>(MersenneTwister&, BFloat16*, BFloat16*, const BFloat16*, int64_t, double, double);

}  // namespace chainrule::cpu::random
