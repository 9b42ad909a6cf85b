// Making one value of many: the kernels per instruction set, and the loop that brings any layout to them.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

enum class Fold : uint8_t { Sum, NanSum, SumSquares, Prod, Max, Min, ArgMax, ArgMin, Spread };
inline constexpr int kFoldCount = 9;

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
  // Writes m results of the fold's type, divided by `divisor` (not integers). ArgMax, ArgMin and Spread have a second
  // result each, written unless null: the index (int64) and the mean.
  void (*finish)(const void* accumulators, int64_t m, double divisor, void* out, void* second);
};

// One reduction of a tensor: bit i of `reduced` is set when dimension i is reduced. Results are laid out contiguously
// in the order of the kept dimensions.
struct Reduction {
  Fold fold;
  const char* x;
  DType dtype;  // of x in memory
  DType as;     // x is converted to this first
  Span sizes, strides;
  uint64_t reduced;
  char* out;  // null: not wanted
  DType out_dtype;
  double divisor = 1;
  char* second = nullptr;  // ArgMax, ArgMin: int64 indices; Spread: the mean, of out_dtype; null: not wanted
};
void reduce(const Reduction& r);

FoldType fold_type(Fold fold, DType t);
DType dtype_of(FoldType t);
const FoldKernels& fold_kernels(Fold fold, FoldType type);

// to[i] += from[i] for each position in order, one after another: right even where several positions are the same
// element of the target (stride 0, overlapping windows). Strides in elements.
void accumulate_strided(Span sizes, char* to, Span to_strides, const char* from, Span from_strides, DType dtype);

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const FoldKernels fold_table[kFoldCount][kFoldTypeCount])
