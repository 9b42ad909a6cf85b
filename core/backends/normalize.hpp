// Normalisation: rows that are brought to mean 0 and variance 1, and channels likewise. Statistics are float64.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// ---- rows: (rows, n), of halves too; parameters and their gradients are then float32. A null weight is 1, a null bias
// 0

// y = (x - mean) * rstd * weight + bias; with `centred` off the mean counts as 0 (root mean square).
struct RowNorm {
  DType dtype;
  int64_t rows, n;
  bool centred;
  double eps;
  const void *x, *weight, *bias;
  void* y;
  double* statistics;  // (rows, 2): written are mean and rstd, 1 / deviation
};

// Each gradient may be null.
struct RowNormGradient {
  DType dtype;
  int64_t rows, n;
  bool centred;
  const void *g, *x, *weight;
  const double* statistics;
  void *gradient, *weight_gradient, *bias_gradient;
};

// ---- channels: (outer, channels, inner), all elements of a channel alike; of halves too

struct Channels {
  int64_t outer, channels, inner;
  int64_t per_channel() const { return outer * inner; }
};

// The numbers of a group of channels and those of the next are `step` apart.
struct ChannelStatistics {
  const double *means, *rstds;
  int64_t step = 1, per_group = 1;
  double mean(int64_t channel) const { return means[channel / per_group * step]; }
  double rstd(int64_t channel) const { return rstds[channel / per_group * step]; }
};

struct ChannelMoments {
  DType dtype;
  Channels shape;
  const void* x;
  double *means, *variances;  // divided by n; of one channel and the next `step` apart
  int64_t step;
};

// rstds = 1 / sqrt(variances + eps), each `step` apart; they may be the same numbers.
struct ChannelDeviations {
  int64_t count, step;
  double eps;
  const double* variances;
  double* rstds;
};

// after = (1 - momentum) * before + momentum * values
struct RunningStatistics {
  int64_t channels;
  double momentum;
  bool of_variances;  // divided by n, of `count` elements each; they are moved to by those divided by n - 1
  double count;
  const double *values, *before;
  double* after;
};

// What channels are multiplied by and what is added: (3, channels), y = (x - mean) * scale + shift.
struct AffineNumbers {
  ChannelStatistics statistics;
  int64_t channels, parameters;  // those of channel i are the i % parameters-th
  const double *weight, *bias;   // may be null: 1 and 0
  bool folds;                    // the mean becomes part of the shift, as in PyTorch's kernel of rows
  double* to;
};

struct ChannelAffine {
  DType dtype;
  Channels shape;
  const double* numbers;
  const void* x;
  void* y;
};

// sum(g) and sum(g * (x - mean)) of each channel.
struct ChannelSums {
  DType dtype;
  Channels shape;
  ChannelStatistics statistics;
  const void *g, *x;
  double *g_sums, *deviation_sums;
};

// The gradient's numbers: (4, channels), a * g + b * (x - mean) + c.
struct CombinationNumbers {
  ChannelStatistics statistics;
  int64_t channels, parameters;
  const double* weight;                   // may be null: 1
  const double *g_sums, *deviation_sums;  // null where the statistics are constants
  double size;                            // elements that each of the statistics is of
  double* to;                             // mean, a, b, c
};

struct ChannelCombination {
  DType dtype;
  Channels shape;
  const double* numbers;
  const void *g, *x;
  void* gradient;
};

// Of weight and bias, `parameters` each.
struct ParameterGradients {
  ChannelStatistics statistics;
  int64_t channels, parameters;
  const double *g_sums, *deviation_sums;
  double *weight, *bias;
};

// ---- channels last: (samples, places, channels) of float32 or float64, numbers for each channel of each sample

struct ChannelsLast {
  int64_t samples, places, channels;
};
struct AffineLast {
  DType dtype;
  ChannelsLast shape;
  const double* numbers;
  const void* x;
  void* y;
};
struct CombinationLast {
  DType dtype;
  ChannelsLast shape;
  const double* numbers;
  const void *g, *x;
  void* gradient;
};

struct NormalizeKernels {
  Kernel<void(const RowNorm&)> rows;
  Kernel<void(const RowNormGradient&)> rows_gradient;
  Kernel<void(const ChannelMoments&)> moments;
  Kernel<void(const ChannelDeviations&)> deviations;
  Kernel<void(const RunningStatistics&)> move_running;
  Kernel<void(const AffineNumbers&)> affine_numbers;
  Kernel<void(const ChannelAffine&)> affine;
  Kernel<void(const ChannelSums&)> sums;
  Kernel<void(const CombinationNumbers&)> combination_numbers;  // each channel is a group of its own
  Kernel<void(const CombinationNumbers&)> group_combination_numbers;
  Kernel<void(const ChannelCombination&)> combine;
  Kernel<void(const ParameterGradients&)> parameter_gradients;
  Kernel<void(const AffineLast&)> affine_last;
  Kernel<void(const CombinationLast&)> combine_last;
};

}  // namespace chainrule
