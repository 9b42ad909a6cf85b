// Operations of the table on plain numbers.
#pragma once
#include "backends/backend.hpp"
#include "backends/kernel.hpp"

namespace chainrule {

// All are on the host. Inputs are doubles, but for a condition, a byte; so is the result of a test.
struct NumberOp {
  int op;  // which line of the table
  const void* const* in;
  const double* parameters;
  void* out;
};

struct NumbersKernels {
  Kernel<void(const NumberOp&)> run;
};

}  // namespace chainrule
