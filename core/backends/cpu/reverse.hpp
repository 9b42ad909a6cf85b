// Rows in reverse order.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// to[i] = from[n - 1 - i] for elements of one size; the two do not overlap.
using ReverseKernel = void (*)(char* to, const char* from, int64_t n);

}  // namespace chainrule::cpu

// For elements of 1, 2, 4, 8 and 16 bytes.
CR_DECLARE_PER_ISA(extern const ReverseKernel reverse_kernels[5])
