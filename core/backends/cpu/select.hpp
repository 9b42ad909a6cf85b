// Picking elements by rank from the rows of a contiguous (rows, n) array; NaN is the largest.
//
// Where equal elements compete for a place, the one is picked that PyTorch picks; see Note [Which of equals].
#pragma once
#include "backends/cpu/order_key.hpp"
#include "backends/cpu/sort.hpp"

namespace chainrule::cpu {

// The k smallest or largest of each row and where they were, in order if `sorted`.
void topk_rows(const PackedRows& x, int64_t k, bool largest, bool sorted, void* values, int64_t* indices);

// The element of each row that would stand at place k, counted from 0, if the row were sorted.
void kth_of_rows(const PackedRows& x, int64_t k, void* values, int64_t* indices);

// The lower one of the two in the middle. A NaN is the median of its row, unless NaN is to be ignored.
void median_of_rows(const PackedRows& x, bool ignore_nan, void* values, int64_t* indices);

// The most frequent element of each row, the smallest of several.
void mode_of_rows(const PackedRows& x, void* values, int64_t* indices);

}  // namespace chainrule::cpu
