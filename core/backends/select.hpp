// Picking elements by rank from the rows of a contiguous (rows, n) array; NaN is the largest.
//
// Where equal elements compete for a place, the one is picked that PyTorch picks; see backends/cpu/select.cpp.
#pragma once
#include "backends/sort.hpp"

namespace chainrule {

// The k smallest or largest of each row and where they were, in order if `sorted`.
struct TopElements {
  PackedRows x;
  int64_t k;
  bool largest, sorted;
  void* values;
  int64_t* indices;
};

// One element of each row, and where it was.
struct PickedElements {
  PackedRows x;
  void* values;
  int64_t* indices;
};

struct SelectKernels {
  Kernel<void(const TopElements&)> topk;
  // The element that would stand at place k, counted from 0, if the row were sorted.
  Kernel<void(const PickedElements&, int64_t k)> kth;
  // The lower one of the two in the middle. A NaN is the median of its row, unless NaN is to be ignored.
  Kernel<void(const PickedElements&, bool ignore_nan)> median;
  // The most frequent element, the smallest of several.
  Kernel<void(const PickedElements&)> mode;
};

}  // namespace chainrule
