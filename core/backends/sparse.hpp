// Sparse matrices: their products with dense ones, sums of equal indices, and rows that an optimiser changes.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// The rows of a sparse matrix one after another: row r has the columns from starts[r] to starts[r + 1]. Whoever
// describes one has looked at its indices.
struct SparseRows {
  const void *starts, *columns;
  bool narrow;           // indices of 32 bits, else of 64
  int64_t count, width;  // of rows and of columns
};

// to = A from, or A transposed times from; both dense, contiguous and `width` wide, of float32 or float64.
struct SparseProduct {
  SparseRows rows;
  DType dtype;
  const void *values, *from;
  void* to;
  int64_t width;
};

// values[k] = the product of left's row with right's row, `width` wide, for the row and the column of each entry.
struct SparseSample {
  SparseRows rows;
  DType dtype;
  const void *left, *right;
  void* values;
  int64_t width;
};

// The order that sorts the keys, equal ones as they came, and where in it each new key begins; *runs counts these.
struct SparseOrder {
  const int64_t* keys;  // none negative, all below `bound`
  int64_t n, bound;
  int64_t *order, *starts, *runs;
};

// to[i] = the sum of the rows order[starts[i]] up to the next run's, in that order.
struct SparseRunSums {
  const int64_t *order, *starts;
  int64_t runs, n, width;
  DType dtype;
  const void* from;
  void* to;
};

// Rows of a table, and for each one a row of values.
struct SparseUpdate {
  const int64_t* rows;
  int64_t n, count, width;  // count: of the table's rows
  DType dtype;
  const void* values;
  void* table;
};

struct SparseAddition {
  SparseUpdate update;  // a row may be named several times
  double factor;
};

// A step of SparseAdam; each row is named once.
struct SparseAdam {
  SparseUpdate update;
  void *averages, *squares;
  double beta1, beta2, eps, step;
  bool maximize;
};

struct SparseKernels {
  Kernel<void(const SparseProduct&)> product;
  Kernel<void(const SparseProduct&)> transposed_product;
  Kernel<void(const SparseSample&)> sample;
  Kernel<void(const SparseOrder&)> order;
  Kernel<void(const SparseRunSums&)> run_sums;
  Kernel<void(const SparseAddition&)> add_rows;
  Kernel<void(const SparseAdam&)> adam;
};

}  // namespace chainrule
