// The functions of RandomKernels on a GPU, by file.
#pragma once
#include "backends/random.hpp"

namespace chainrule::cuda {

// ---- random_fill.cpp: one draw for each element
void fill_uniform(const RandomFill&, double from, double to);
void fill_normal(const RandomFill&, double mean, double std);
void fill_log_normal(const RandomFill&, double mean, double std);
void fill_cauchy(const RandomFill&, double median, double sigma);
void fill_exponential(const RandomFill&, double lambda);
void fill_dropout_noise(const RandomFill&, double p);
void fill_geometric(const RandomFill&, double p);
void fill_bernoulli(const RandomFill&, double p);
void fill_integers(const RandomFill&);
void fill_integers_between(const RandomFill&, int64_t from, int64_t to);
void fill_integers_from(const RandomFill&, int64_t from);
// Of n elements: integers of 32 or 64 bits, each but the largest, of which the lowest `bits` are kept.
void fill_sort_keys(Generator&, int64_t* out, int64_t n, int bits);

// ---- random_permutation.cpp
void fill_permutation(const RandomFill&);

// ---- random_dropout.cpp
void drop(const FusedDropout&);
void random_slopes(const RandomSlopes&);

// ---- random_samples.cpp: a parameter, or two, for each element
void toss_each(const TossedEach&);
void sample_poisson(const SampledEach&);
void sample_binomial(const SampledEach&);
void sample_gamma(const SampledEach&);
void sample_dirichlet(const SampledEach&, int64_t columns);

// ---- random_choice.cpp
void check_weights(const WeightedChoice&, bool together);
void choose(const WeightedChoice&, Generator&);
void sample_without_replacement(const WeightedChoice&, const char* clocks);

}  // namespace chainrule::cuda
