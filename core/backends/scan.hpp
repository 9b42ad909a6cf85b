// Running totals along the middle dimension of contiguous (outer, n, inner) arrays.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

enum class Scan : uint8_t { Sum, Prod, LogSumExp };

struct ScanShape {
  int64_t outer, n, inner;
  bool reverse = false;  // from the last element to the first
};

// The dtype in which a scan over elements of this dtype runs: float32, float64, int64, complex64 or complex128.
inline DType scan_dtype(DType t) {
  if (t == DType::Float16 || t == DType::BFloat16) return DType::Float32;
  return t < DType::Float16 ? DType::Int64 : t;
}

// Elements are of a scan dtype. Totals of float32 are kept in double.
struct RunningTotal {
  Scan kind;
  DType dtype;
  const void* x;
  void* out;
  ScanShape shape;
};
// out[i] = b[i] + a[i] * out[i - 1], starting from zero.
struct Recurrence {
  DType dtype;
  const void *a, *b;
  void* out;
  ScanShape shape;
};
// The largest (smallest) so far and its index, the last of equals; NaN wins. Real scan dtypes only.
struct RunningExtreme {
  bool is_max;
  DType dtype;
  const void* x;
  void* values;
  int64_t* indices;
  ScanShape shape;
};

struct ScanKernels {
  Kernel<void(const RunningTotal&)> total;
  Kernel<void(const Recurrence&)> recurrence;
  Kernel<void(const RunningExtreme&)> extreme;
};

}  // namespace chainrule
