// The gated linear unit over contiguous blocks: half a block of values a, then half a block of their gates b.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

template <class T>
struct GluKernels {
  void (*forward)(const T* a, const T* b, T* y, int64_t n);  // y = a * sigmoid(b)
  void (*backward)(const T* g, const T* a, const T* b, T* to_a, T* to_b, int64_t n);
};

// `half` is the number of elements in half a block. For float and double.
template <class T>
void glu(const T* x, T* y, int64_t blocks, int64_t half);
template <class T>
void glu_gradient(const T* g, const T* x, T* gradient, int64_t blocks, int64_t half);

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const GluKernels<float> glu_float)
CR_DECLARE_PER_ISA(extern const GluKernels<double> glu_double)
