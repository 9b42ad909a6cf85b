// Kernels of normalisation: rows that are brought to mean 0 and variance 1, and channels likewise.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

struct Moments {
  double mean, variance;  // divided by n
};

// Numbers that hold for a whole row or channel.
struct RowStatistics {
  double mean, rstd;
};

// For float and double. A null weight is 1, a null bias 0.
struct NormalizeKernels {
  double (*sum)(const void* x, int64_t n);
  double (*sum_of_squares)(const void* x, int64_t n, double mean);  // of deviations from the mean
  // y = (x - mean) * rstd * weight + bias
  void (*row)(const void* x, const void* weight, const void* bias, void* y, int64_t n, RowStatistics s);
  // gradient (may be null) is written, weight_sum and bias_sum (may be null) are added to. `centred`: the mean was
  // taken from the row itself.
  void (*row_gradient)(const void* g, const void* x, const void* weight, void* gradient, void* weight_sum,
                       void* bias_sum, int64_t n, RowStatistics s, bool centred);
  // y = (x - mean) * scale + shift
  void (*affine)(const void* x, void* y, int64_t n, double mean, double scale, double shift);
  // sums[0] = sum(g), sums[1] = sum(g * (x - mean))
  void (*sums)(const void* g, const void* x, int64_t n, double mean, double* sums);
  // gradient = a * g + b * (x - mean) + c
  void (*combine)(const void* g, const void* x, void* gradient, int64_t n, double mean, double a, double b, double c);
};

// ---- rows: (rows, n), of halves too; parameters and their gradients are then float

// Writes y and the statistics, one each per row; with `centred` off the mean counts as 0 (root mean square).
void normalize_rows(DType dtype, const void* x, const void* weight, const void* bias, void* y,
                    RowStatistics* statistics, int64_t rows, int64_t n, double eps, bool centred);
// Each gradient may be null.
void normalize_rows_gradient(DType dtype, const void* g, const void* x, const void* weight,
                             const RowStatistics* statistics, void* gradient, void* weight_gradient,
                             void* bias_gradient, int64_t rows, int64_t n, bool centred);

// ---- channels: (outer, channels, inner), all elements of a channel alike; of halves too

struct Channels {
  int64_t outer, channels, inner;
  int64_t per_channel() const { return outer * inner; }
};

struct Affine {
  double mean, scale, shift;
};
struct ChannelSums {
  double g, g_deviation;  // sum(g), sum(g * (x - mean))
};
struct Combination {
  double mean, a, b, c;
};

void channel_moments(DType dtype, const void* x, Channels shape, Moments* out);
void affine_channels(DType dtype, const void* x, void* y, Channels shape, const Affine* affine);
void channel_sums(DType dtype, const void* g, const void* x, Channels shape, const double* means, ChannelSums* out);
void combine_channels(DType dtype, const void* g, const void* x, void* gradient, Channels shape,
                      const Combination* combinations);

// ---- channels last: (samples, places, channels), numbers for each channel of each sample

struct ChannelsLast {
  int64_t samples, places, channels;
};

void affine_last(DType dtype, const void* x, void* y, ChannelsLast shape, const Affine* affine);
void combine_last(DType dtype, const void* g, const void* x, void* gradient, ChannelsLast shape,
                  const Combination* combinations);

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const NormalizeKernels normalize_table[2])
