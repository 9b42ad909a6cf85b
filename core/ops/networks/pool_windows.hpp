// Where the windows of each kind of pooling lie, and what a pooling may be asked for.
#pragma once
#include "backends/pool.hpp"
#include "ops/networks/pool.hpp"

namespace chainrule {

// Every list written out for `dims` dimensions; raises for what makes no sense. `name` without the "2d".
PoolOptions checked_options(const char* name, int dims, const PoolOptions& given);
void check_pool_input(const char* name, int dims, const Tensor& x);
// alone: for values without their places, for which PyTorch has other words.
void check_pool_input_1d(const char* name, const Tensor& x, const PoolOptions& o, bool alone = false);
void check_max_pool1d(const Tensor& x, const PoolOptions& o);
void require_numbers(const char* name, int dims, const Tensor& x);
void check_adaptive(const char* name, int dims, const Tensor& x, const Dims& out);
void check_fractional(const char* name, int dims, const Tensor& x, const Dims& kernel, const Dims& out,
                      const Tensor& samples);
void check_unpool(int dims, const Tensor& x, const Tensor& indices, const Dims& out);
void check_unpool_indices(const Tensor& indices, int dims, const Dims& out);

PoolWindows max_windows(int dims, const Tensor& x, const PoolOptions& o);
PoolWindows average_windows(int dims, const Tensor& x, const PoolOptions& o);
PoolWindows adaptive_windows(int dims, const Tensor& x, const Dims& out);

}  // namespace chainrule
