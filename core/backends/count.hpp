// How many elements fall where.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// The smallest and the largest of integers and of 0, on the host.
struct IntegerExtent {
  DType dtype;
  const void* x;
  int64_t n;
  int64_t *low, *high;
};

// Adds 1, or a weight, at the place that each integer names.
struct BinCount {
  DType dtype;
  const void* x;
  int64_t n;
  DType weight_dtype;   // float32 or float64
  const void* weights;  // null: ones, counted in int64
  void* to;             // zeros
};

// How many lie in each of so many parts of the range from `low` to `high`; floating dtypes.
struct Histogram {
  DType dtype;
  const void* x;
  int64_t n;
  double low, high;
  int64_t bins;
  void* to;
};

struct CountKernels {
  Kernel<void(const IntegerExtent&)> extent;
  Kernel<void(const BinCount&)> bins;
  Kernel<void(const Histogram&)> histogram;
};

}  // namespace chainrule
