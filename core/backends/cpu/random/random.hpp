// PyTorch's random streams over plain memory, bit for bit: the functions, their types and their draws.
//
// All fill n elements that lie one after another. Every one but normal() is a plain stream: two fills of a and b
// elements give what one of a + b gives, so a strided destination is filled piece by piece with fill_strided() of
// order.hpp. Complex destinations are filled as twice as many reals (normal: with std / sqrt(2)). Arguments are checked
// beforehand by backends/random/arguments.hpp; only probabilities and rates given per element are checked here.
#pragma once
#include <cstdint>

#include "backends/cpu/random/order.hpp"
#include "backends/mersenne_twister.hpp"
#include "backends/random/convert.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu::random {

using namespace chainrule::random;

// "floats" below: float, double, Half, BFloat16. "numbers": those, uint8_t, int8_t, int16_t, int32_t, int64_t, bool.

// ---- uniform_normal.cpp: floats
template <class T>
void uniform(MersenneTwister& generator, T* out, int64_t n, double from, double to);
// A contiguous tensor as a whole: pairs by the block from 16 elements on, else as normal_serial.
template <class T>
void normal(MersenneTwister& generator, T* out, int64_t n, double mean, double std);
// Anything not contiguous in the plain sense, channels_last included: one value after another, a plain stream.
template <class T>
void normal_serial(MersenneTwister& generator, T* out, int64_t n, double mean, double std);
template <class T>
void log_normal(MersenneTwister& generator, T* out, int64_t n, double mean, double std);

// ---- integers.cpp: numbers
// random_(): every value of an integer type from 0 up, or the integers that a float type holds exactly.
template <class T>
void random_full(MersenneTwister& generator, T* out, int64_t n);
// random_(from, to) and randint, to excluded. Float types first move their bounds, so that rounding cannot reach `to`.
template <class T>
void random_range(MersenneTwister& generator, T* out, int64_t n, int64_t from, int64_t to);
// random_(from, None): up to the largest value of the type.
template <class T>
void random_from(MersenneTwister& generator, T* out, int64_t n, int64_t from);
template <class T>
void randperm(MersenneTwister& generator, T* out, int64_t n);

// ---- bernoulli.cpp
template <class T>  // numbers
void bernoulli(MersenneTwister& generator, T* out, int64_t n, double p);
template <class T, class P>  // numbers from floats; double probabilities take two draws each, the others one
void bernoulli(MersenneTwister& generator, T* out, const P* p, int64_t n);

// ---- exponential.cpp: floats; geometric also integers
template <class T>
void exponential(MersenneTwister& generator, T* out, int64_t n, double lambda);
template <class T>
void geometric(MersenneTwister& generator, T* out, int64_t n, double p);
template <class T>
void cauchy(MersenneTwister& generator, T* out, int64_t n, double median, double sigma);

// ---- poisson.cpp, binomial.cpp, gamma.cpp: rejection samplers, one parameter per element
template <class T>  // floats
void poisson(MersenneTwister& generator, T* out, const T* rate, int64_t n);
template <class T>  // float, double
void binomial(MersenneTwister& generator, T* out, const T* count, const T* p, int64_t n);
template <class T>  // float, double
void standard_gamma(MersenneTwister& generator, T* out, const T* alpha, int64_t n);
template <class T>  // float, double; each row of alpha gives one point of the simplex
void dirichlet(MersenneTwister& generator, T* out, const T* alpha, int64_t rows, int64_t columns);

// ---- multinomial.cpp: floats; weights (rows, columns), indices (rows, samples)
// Raises in PyTorch's words; `together`: all weights are looked at before each row is.
template <class T>
void check_weights(const T* weights, int64_t rows, int64_t columns, bool together);
// Without replacement, or for one sample: `clocks` are exponential(1), one per weight, drawn by the caller in the order
// of the weights' memory.
template <class T>
void sample_without_replacement(int64_t* indices, const T* weights, const T* clocks, int64_t rows, int64_t columns,
                                int64_t samples);
// With replacement, several samples.
template <class T>
void search_table(MersenneTwister& generator, int64_t* indices, const T* weights, int64_t rows, int64_t columns,
                  int64_t samples);

// ---- dropout.cpp: floats
// What the input is multiplied with: 0 with probability p, else 1 / (1 - p). For 0 < p < 1; p = 0 and 1 draw nothing.
template <class T>
void dropout_noise(MersenneTwister& generator, T* noise, int64_t n, double p);
// Training rrelu: elements <= 0 draw their slope; noise receives it, or 1 where the input is positive. Not for Half.
template <class T>
void rrelu(MersenneTwister& generator, T* out, T* noise, const T* input, int64_t n, double lower, double upper);

}  // namespace chainrule::cpu::random
