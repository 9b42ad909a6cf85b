// Running totals along the middle dimension of contiguous (outer, n, inner) arrays.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::cpu {

enum class Scan : uint8_t { Sum, Prod, LogSumExp };

struct ScanShape {
  int64_t outer, n, inner;
  bool reverse = false;  // from the last element to the first
};

// The dtype in which a scan over elements of this dtype runs: float32, float64, int64, complex64 or complex128.
DType scan_dtype(DType t);

// Elements are of a scan dtype. Totals of float32 are kept in double.
void scan(Scan s, DType dtype, const void* x, void* out, const ScanShape& shape);
// out[i] = b[i] + a[i] * out[i - 1], starting from zero.
void recurrence(DType dtype, const void* a, const void* b, void* out, const ScanShape& shape);
// The largest (smallest) so far and its index, the last of equals; NaN wins. Real scan dtypes only.
void scan_extreme(bool is_max, DType dtype, const void* x, void* values, int64_t* indices, const ScanShape& shape);

}  // namespace chainrule::cpu
