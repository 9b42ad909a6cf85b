// Numbers at equal steps.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
// A range is rounded as by PyTorch's kernels for AVX2, on any machine: products and sums are fused, and arange goes by
// pairs of vectors of 32 bytes, each of which counts from its own rounded first element. arange of halves calculates in
// float and fuses nothing inside a vector, that of all others in double; linspace calculates in the elements' own type,
// integers in double. Halves are in range.cpp.
CR_DECLARE_PER_ISA(void arange_floats(float* out, int64_t n, double start, double step))
CR_DECLARE_PER_ISA(void arange_doubles(double* out, int64_t n, double start, double step))
// From both ends to the middle, so that the last value is exact.
CR_DECLARE_PER_ISA(void linspace_floats(float* out, int64_t n, float first, float last))
CR_DECLARE_PER_ISA(void linspace_doubles(double* out, int64_t n, double first, double last))
