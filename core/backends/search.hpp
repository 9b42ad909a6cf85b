// Finding places in sorted rows.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

struct SortedRows {
  DType dtype;  // of boundaries and values; real
  const void* boundaries;
  int64_t rows, length;   // of boundaries; one row serves all values
  const int64_t* sorter;  // the order in which the boundaries are sorted; null: as they are
};

// For each row of values, `count` of them, the place in the row of boundaries where each could be inserted: before
// boundaries equal to it, or after them if `right`.
struct SearchedValues {
  SortedRows in;
  const void* values;
  int64_t count;
  bool right;
  void* out;
  bool narrow;  // `out` is int32, else int64
};

struct SearchKernels {
  Kernel<void(const SearchedValues&)> rows;
};

}  // namespace chainrule
