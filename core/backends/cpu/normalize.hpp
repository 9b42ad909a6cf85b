// Loops of normalisation over a row, or over a piece of a channel.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// Numbers that hold for a whole row or channel.
struct RowStatistics {
  double mean, rstd;
};

// For float and double. A null weight is 1, a null bias 0.
struct NormalizeLoops {
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

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const NormalizeLoops normalize_table[2])
