// Groups of equal rows in a contiguous (rows, n) array.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Rows whose elements are compared one after another; real dtypes.
struct RowOrder {
  DType dtype;
  const void* rows;
  int64_t count, length;
  int64_t* order;  // of the rows; the result
};

// Where groups of equal neighbours begin, as row numbers in the order; then the number of rows.
struct EqualNeighbours {
  DType dtype;
  const void* rows;
  int64_t count, length;
  const int64_t* order;  // row i of the order is number order[i]; null: as they lie
  bool in_order;         // the rows lie in the order already, and `order` tells where they were
  int64_t* firsts;       // room for count + 1
  int64_t* inverse;      // which group each row is in; may be null
  int64_t* groups;       // how many, on the host
};

// The first row of each group, and how many each has.
struct GroupRows {
  DType dtype;
  const void* rows;
  int64_t length;
  const int64_t *order, *firsts;  // `order` may be null
  int64_t groups;
  void* to;
  int64_t* counts;
};

struct UniqueKernels {
  Kernel<void(const RowOrder&)> sort;
  Kernel<void(const EqualNeighbours&)> group;
  Kernel<void(const GroupRows&)> take;
};

}  // namespace chainrule
