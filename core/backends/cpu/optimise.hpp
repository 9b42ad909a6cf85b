// The steps of optimisers, for each instruction set.
#pragma once
#include "backends/cpu/isa.hpp"
#include "backends/optimise.hpp"

namespace chainrule::cpu {

inline constexpr int kOptimiserCount = 10;

using StepKernel = void (*)(void* const* arrays, int64_t n, const StepNumbers& numbers);

}  // namespace chainrule::cpu

// By optimiser, for float and double.
CR_DECLARE_PER_ISA(extern const StepKernel optimiser_table[kOptimiserCount][2])
