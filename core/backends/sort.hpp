// Sorting the rows of a contiguous (rows, n) array; NaN is the largest.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

struct PackedRows {
  DType dtype;  // not complex
  const void* data;
  int64_t count, length;
};

// How equal elements are ordered: as they were, or, in rows that are not long, as PyTorch's unstable sort leaves them.
enum class Ties : bool { Kept, AsInPyTorch };

// Each row in order, and where each element was. `values` may be null.
struct SortedCopy {
  PackedRows x;
  bool descending;
  Ties ties;
  void* values;
  int64_t* indices;
};

struct SortKernels {
  Kernel<void(const SortedCopy&)> rows;
};

}  // namespace chainrule
