// The gated linear unit over contiguous blocks: half a block of values a, then half a block of their gates b.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// y = a * sigmoid(b); of float32 or float64.
struct Glu {
  DType dtype;
  int64_t blocks, half;  // elements in half a block
  const void* x;
  void* y;
};

struct GluGradient {
  DType dtype;
  int64_t blocks, half;
  const void *g, *x;
  void* gradient;
};

struct GluKernels {
  Kernel<void(const Glu&)> value;
  Kernel<void(const GluGradient&)> gradient;
};

}  // namespace chainrule
