// Numbers at equal steps.
#pragma once
#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

// start, start + step, and so on; floating dtypes, or int64, where sums wrap around.
struct Range {
  DType dtype;
  int64_t count;
  Scalar start, step;
  char* to;
};

// From the first number to the last, both included; floating dtypes.
struct EqualSteps {
  DType dtype;
  int64_t count;
  double first, last;
  char* to;
};

struct RangeKernels {
  Kernel<void(const Range&)> arange;
  Kernel<void(const EqualSteps&)> linspace;
};

}  // namespace chainrule
