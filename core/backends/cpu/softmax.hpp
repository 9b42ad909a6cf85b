// Loops of softmax and its logarithm, and of their gradients, over rows or columns.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// `width` rows of n elements one after another (inner == 1), or as many columns side by side, whose n elements lie
// `inner` apart.
struct SoftmaxLoops {
  void (*forward)(const void* x, void* y, int64_t n, int64_t inner, int64_t width, bool logarithm);
  // gradient = y * (g - sum(g * y)), or g - exp(y) * sum(g) for the logarithm
  void (*backward)(const void* g, const void* y, void* gradient, int64_t n, int64_t inner, int64_t width,
                   bool logarithm);
  // Writes log(sum(exp(x))) of a row.
  void (*log_total)(const void* x, void* out, int64_t n);
  // out = *scale * exp(x - *log_total), along a row
  void (*scaled)(const void* x, const void* log_total, const void* scale, void* out, int64_t n);
};

}  // namespace chainrule::cpu

// For float32 and float64.
CR_DECLARE_PER_ISA(extern const SoftmaxLoops softmax_table[2])
