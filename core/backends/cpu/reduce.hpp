// The kernels of reductions, per instruction set.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "backends/reduce.hpp"

namespace chainrule::cpu {

// The types that folding runs in: half types in F32, integers in I64; extremes of narrower integers in I32 and U8.
enum class FoldType : uint8_t { F32, F64, I64, C64, C128, U8, I32 };
inline constexpr int kFoldTypeCount = 7;

// A block of m kept by n reduced elements. Rows: the reduced ones lie side by side and `stride` leads from one kept
// element to the next. Columns: the other way round. `first` is the index of the first reduced element, for ArgMax.
using FoldKernel = void (*)(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t first);

struct FoldKernels {
  int accumulator_size;  // in bytes, one per kept element; 0: there is no such fold
  void (*start)(void* accumulators, int64_t m);
  FoldKernel rows, columns;
  void (*join)(void* accumulators, const void* others, int64_t m);
  // Writes m results of the fold's type, divided by `divisor` (not integers). ArgMax, ArgMin and Variance have a second
  // result each, written unless null: the index (int64) and the mean.
  void (*finish)(const void* accumulators, int64_t m, double divisor, void* out, void* second);
};

FoldType fold_type(ReduceOp fold, DType t);
DType dtype_of(FoldType t);

void accumulate(const StridedSum& s);

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const FoldKernels fold_table[kReduceOpCount][kFoldTypeCount])
