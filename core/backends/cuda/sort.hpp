// Sorting on the GPU, as other subjects use it.
#pragma once
#include "backends/sort.hpp"

namespace chainrule::cuda {

// Equal elements stay as they were. Of the elements' bits only so many differ, which saves passes.
void sort_rows(const SortedCopy& s, int bits = 64);
// The first `take` of each row, in order, where rows are short.
constexpr int64_t kShortRow = 2048;
void sort_short_rows(const SortedCopy& s, int64_t take);
// The type of an element's key.
const char* key_type(DType t);

}  // namespace chainrule::cuda
