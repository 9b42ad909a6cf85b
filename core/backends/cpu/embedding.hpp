// Rows that are added to others.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

// to += factor * row
CR_DECLARE_PER_ISA(void add_float_row(const float* row, float factor, float* to, int64_t n))
CR_DECLARE_PER_ISA(void add_double_row(const double* row, double factor, double* to, int64_t n))
