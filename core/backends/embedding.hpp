// Rows of a table, looked up by their indices.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Which rows of a table (rows, width), and which of them count.
struct Lookup {
  const int64_t* indices;
  int64_t count, rows, width;
  int64_t padding;    // the row that gets no gradient
  bool by_frequency;  // a row's gradient is divided by how often it was looked up
};

struct LookupCopy {
  Lookup lookup;
  DType dtype;
  const void* from;
  void* to;
};

// Rows longer than max_norm are scaled to it; each once, however often it is named.
struct LookupShrink {
  Lookup lookup;
  DType dtype;
  void* table;
  double max_norm, p;
};

// Which of n indices each bag holds: from its start to the next bag's, the last one to the end.
struct Bags {
  const int64_t* starts;
  int64_t count, n;

  int64_t begin(int64_t bag) const { return std::clamp<int64_t>(starts[bag], 0, n); }
  int64_t end(int64_t bag) const { return bag + 1 < count ? std::max(begin(bag), begin(bag + 1)) : n; }
};

// The sum or the mean of each bag's rows, one after another, in the type that halves are calculated in.
struct BagSums {
  Lookup lookup;
  Bags bags;
  bool mean;
  DType dtype;  // of the table
  const void* table;
  const void* factors;  // one for each index; may be null
  void* to;
};

// What a bag's sum is multiplied by in the mean: one over the number of rows that count.
struct BagShares {
  Lookup lookup;
  Bags bags;
  double* to;
};

struct BagNumbers {
  Bags bags;
  int64_t* to;
};

struct EmbeddingKernels {
  Kernel<void(const LookupCopy&)> copy;  // of any dtype
  // Of float32 or float64, as all that follow.
  Kernel<void(const LookupCopy&)> add;   // the gradient: zeros with the rows of `from` added at the indices
  Kernel<void(const LookupCopy&)> take;  // the transpose of add
  Kernel<void(const LookupShrink&)> shrink;
  Kernel<void(const BagSums&)> bag_sums;  // the table may be of halves
  Kernel<void(const BagShares&)> bag_shares;
  Kernel<void(const BagNumbers&)> bag_numbers;  // writes for each index the bag that it is in; nothing if in none
};

}  // namespace chainrule
