// Conversion of contiguous rows between every pair of dtypes, by PyTorch's rules.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

// out[i] = in[i] over n contiguous elements; the two rows may not overlap unless the dtypes are equal.
// To bool: whether it is not zero. Float to integer: truncation, out of range as x86 gives. Complex to real: real part.
using ConvertKernel = void (*)(void* out, const void* in, int64_t n);

// Where one of the two is stored only; see Note [Limited dtypes].
ConvertKernel stored_kernel(DType from, DType to);

}  // namespace chainrule::cpu

// Indexed by [from][to], each the number of a DType.
CR_DECLARE_PER_ISA(extern const ConvertKernel convert_kernels[kDTypesWithKernels][kDTypesWithKernels])

namespace chainrule::cpu {

inline ConvertKernel convert_kernel(DType from, DType to) {
  if (is_stored_only(from) || is_stored_only(to)) [[unlikely]]
    return stored_kernel(from, to);
  return CR_DISPATCH(convert_kernels)[static_cast<int>(from)][static_cast<int>(to)];
}

}  // namespace chainrule::cpu
