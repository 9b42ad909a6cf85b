// The kernels made from the table of elementwise ops: one forward and one fused gradient kernel per op and compute
// type.
#pragma once
#include <atomic>
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "backends/op_id.hpp"

namespace chainrule::cpu {

// The types arithmetic runs in: half types are computed in F32, bool and integers in I64.
enum class Compute : uint8_t { F32, F64, I64, C64, C128 };
inline constexpr int kComputeCount = 5;

// out[i] = f(in[0][i], ...) over n contiguous elements of the compute type; `out` may equal an input, not overlap it.
// Forward: in = the inputs. Gradient k: in = {g, inputs..., y}; pointers its formula does not name are not read and may
// be null. A TEST writes uint8 0 or 1, and the input called `condition` is uint8; all else has the compute type.
using ElementwiseKernel = void (*)(void* out, const void* const* in, int64_t n, const double* params);

// The integers narrower than int64 that arithmetic may run on as they lie in memory.
enum class Narrow : uint8_t { U8, I8, I16, I32 };
inline constexpr int kNarrowCount = 4;

// Null where the domain leaves a type out, and for gradients that are `none` or absent. `narrow` gives the same values
// as I64 with its conversions, in one pass; null for operations that are seldom asked of such integers.
struct OpKernels {
  int8_t condition;  // the input that is always bool, or -1
  bool is_test;
  bool is_cheap;  // the value calls no function: a + b
  uint8_t truth;  // the kernel on truth values, by number; see chain_kernels.cpp
  ElementwiseKernel forward[kComputeCount];
  ElementwiseKernel narrow[kNarrowCount];
  ElementwiseKernel gradient[kMaxInputs][kComputeCount];
};

// An integer division by zero gives 0 and raises this flag (relaxed); whoever asked for the division reads it.
inline std::atomic<bool> integer_division_by_zero{false};

}  // namespace chainrule::cpu

// One entry per OP or TEST line, in the order of elementwise.def (ALIAS lines do not count).
CR_DECLARE_PER_ISA(extern const OpKernels elementwise_kernels[])
