// Kernels of softmax and its logarithm, and of their gradients, over contiguous (outer, n, inner) arrays.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

// `width` rows of n elements one after another (inner == 1), or as many columns side by side, whose n elements lie
// `inner` apart.
struct SoftmaxKernels {
  void (*forward)(const void* x, void* y, int64_t n, int64_t inner, int64_t width, bool logarithm);
  // gradient = y * (g - sum(g * y)), or g - exp(y) * sum(g) for the logarithm
  void (*backward)(const void* g, const void* y, void* gradient, int64_t n, int64_t inner, int64_t width,
                   bool logarithm);
  // Writes log(sum(exp(x))) of a row.
  void (*log_total)(const void* x, void* out, int64_t n);
  // out = *scale * exp(x - *log_total), along a row
  void (*scaled)(const void* x, const void* log_total, const void* scale, void* out, int64_t n);
};

// (outer, n, inner); of halves only where inner is 1.
void softmax(DType dtype, const void* x, void* y, int64_t outer, int64_t n, int64_t inner, bool logarithm);
void softmax_gradient(DType dtype, const void* g, const void* y, void* gradient, int64_t outer, int64_t n,
                      int64_t inner, bool logarithm);
// For each of `rows` rows of n elements.
void log_total_of_exponentials(DType dtype, const void* x, void* out, int64_t rows, int64_t n);
// scale * (softmax(x) - 1 at the target) for each row; log_totals are those of the rows. A scale of 0 skips a row.
void cross_entropy_gradient(DType dtype, const void* x, const void* log_totals, const void* scales,
                            const int64_t* target, void* out, int64_t rows, int64_t n);

}  // namespace chainrule::cpu

// For float32 and float64.
CR_DECLARE_PER_ISA(extern const SoftmaxKernels softmax_table[2])
