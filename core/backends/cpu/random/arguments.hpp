// Whether the arguments of the random functions make sense: std::runtime_error with PyTorch's words if not.
#pragma once
#include <cstdint>

namespace chainrule::cpu::random {

// The types are those of random.hpp; a complex destination is checked as its real type.
template <class T>  // floats
void check_uniform(double from, double to);
void check_normal(double std);
void check_log_normal(double std);
void check_cauchy(double sigma);
void check_exponential(double lambda);
void check_geometric(double p);
void check_bernoulli(double p);
void check_dropout(double p);
void check_rrelu(double lower, double upper);

template <class T>  // numbers
void check_random_range(int64_t from, int64_t to);
template <class T>  // numbers; not for the lowest int64, which stands for "all 64 bits"
void check_random_from(int64_t from);
template <class T>  // numbers without bool
void check_randperm(int64_t n);

// Weights (rows, columns) and the number of samples of each row.
template <class T>  // floats
void check_multinomial(const T* weights, int64_t rows, int64_t columns, int64_t samples, bool replacement);

}  // namespace chainrule::cpu::random
