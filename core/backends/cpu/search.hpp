// Finding places in sorted rows.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::cpu {

struct SortedRows {
  DType dtype;  // of boundaries and values; real
  const void* boundaries;
  int64_t rows, length;   // of boundaries; one row serves all values
  const int64_t* sorter;  // the order in which the boundaries are sorted; null: as they are
};

// For each row of values, `count` of them, the place in the row of boundaries where each could be inserted: before
// boundaries equal to it, or after them if `right`. `out` is int32 or int64.
void search_sorted(const SortedRows& s, const void* values, int64_t count, bool right, void* out, DType out_dtype);

}  // namespace chainrule::cpu
