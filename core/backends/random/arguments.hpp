// Whether the arguments of the random functions make sense: std::runtime_error with PyTorch's words if not.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::random {

// A complex destination is checked as its real dtype.
void check_uniform(DType dtype, double from, double to);  // floats
void check_normal(double std);
void check_log_normal(double std);
void check_cauchy(double sigma);
void check_exponential(double lambda);
void check_geometric(double p);
void check_bernoulli(double p);
void check_dropout(double p);
void check_rrelu(double lower, double upper);

void check_random_range(DType dtype, int64_t from, int64_t to);
void check_random_from(DType dtype, int64_t from);  // not for the lowest int64, which stands for "all 64 bits"
void check_randperm(DType dtype, int64_t n);        // not bool

// The number of weights in a row, and of samples.
void check_multinomial(int64_t columns, int64_t samples, bool replacement);

}  // namespace chainrule::random
