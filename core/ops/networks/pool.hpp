// Pooling over the last two or three dimensions of (batch, channels, ...) or (channels, ...).
#pragma once
#include <optional>
#include <utility>

#include "tensor/tensor.hpp"

namespace chainrule {

// Lists have one number per dimension, or one for all; an empty stride is the kernel's size.
struct PoolOptions {
  Dims kernel, stride, padding, dilation;
  bool ceil = false;           // windows that begin inside but end outside count
  bool counts_padding = true;  // in averages
  std::optional<int64_t> divisor;
  bool beyond_int = false;  // PyTorch counts in ints, but for the values of max_pool1d
};

using Pooled = std::pair<Tensor, Tensor>;  // values, and their positions in each plane

Pooled max_pool(int dims, const Tensor& x, const PoolOptions& o);
// The values alone; unlike the others it takes no integers.
Tensor max_pool1d(const Tensor& x, const PoolOptions& o);
Tensor avg_pool(int dims, const Tensor& x, const PoolOptions& o);
// Windows that share the input evenly among `out` outputs.
Pooled adaptive_max_pool(int dims, const Tensor& x, const Dims& out);
Tensor adaptive_avg_pool(int dims, const Tensor& x, const Dims& out);
// Windows of the kernel's size at distances that vary, from `samples` (batch, channels, dims) between 0 and 1.
Pooled fractional_max_pool(int dims, const Tensor& x, const Dims& kernel, const Dims& out, const Tensor& samples);
// Zeros with x at the positions that a max pool gave.
Tensor max_unpool(int dims, const Tensor& x, const Tensor& indices, const Dims& out);

}  // namespace chainrule
