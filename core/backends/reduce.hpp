// Making one value of many.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Variance gives the variance times the number of elements.
enum class ReduceOp : uint8_t { Sum, NanSum, SumSquares, Prod, Max, Min, ArgMax, ArgMin, Variance };
inline constexpr int kReduceOpCount = 9;

// One reduction of a tensor: bit i of `reduced` is set when dimension i is reduced. Results are laid out contiguously
// in the order of the kept dimensions.
struct Reduction {
  ReduceOp fold;
  const char* x;
  DType dtype;  // of x in memory
  DType as;     // x is converted to this first
  Span sizes, strides;
  bool contiguous;
  uint64_t reduced;
  char* out;
  DType out_dtype;
  double divisor = 1;
  char* second = nullptr;  // ArgMax, ArgMin: int64 indices; Variance: the mean, of out_dtype; null: not wanted
};

// to[i] += from[i] for each position in order, one after another: right even where several positions are the same
// element of the target (stride 0, overlapping windows). Strides in elements.
struct StridedSum {
  Span sizes;
  char* to;
  Span to_strides;
  const char* from;
  Span from_strides;
  DType dtype;
};

struct ReduceKernels {
  Kernel<void(const Reduction&)> reduce;
  Kernel<void(const StridedSum&)> accumulate;
};

}  // namespace chainrule
