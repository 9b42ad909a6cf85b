// Sorting the rows of a contiguous (rows, n) array; equal elements keep their order, NaN is the largest.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::cpu {

struct Rows {
  DType dtype;  // not complex
  const void* data;
  int64_t count, length;
};

// Each row in order, and where each element was. `values` may be null.
void sort_rows(const Rows& x, bool descending, void* values, int64_t* indices);

}  // namespace chainrule::cpu
