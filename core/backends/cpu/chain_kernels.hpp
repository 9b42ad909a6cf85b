// Which kernel calculates a step of a chain, and in which dtype.
#pragma once
#include "backends/chain.hpp"
#include "backends/cpu/elementwise.hpp"

namespace chainrule::cpu {

inline const OpKernels* const all_kernels = CR_DISPATCH(elementwise_kernels);
inline const OpKernels& kernels_of(OpId id) { return all_kernels[static_cast<int>(id)]; }

struct StepKernel {
  ElementwiseKernel run;
  DType arithmetic;  // of the operands but a condition, and of the result but that of a test
};
// Operands narrower than what arithmetic runs in are widened to it, unless a kernel takes them as they lie in memory.
StepKernel step_kernel(const Chain& chain, const ChainStep& step);

}  // namespace chainrule::cpu
