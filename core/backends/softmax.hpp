// Softmax and its logarithm.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Along n of (outer, n, inner); of halves only where inner is 1.
struct Softmax {
  DType dtype;
  int64_t outer, n, inner;
  bool logarithm;
  const void* x;
  void* y;
};

// y * (g - sum(g * y)), or g - exp(y) * sum(g) for the logarithm.
struct SoftmaxGradient {
  DType dtype;
  int64_t outer, n, inner;
  bool logarithm;
  const void *g, *y;
  void* gradient;
};

struct SoftmaxKernels {
  Kernel<void(const Softmax&)> value;
  Kernel<void(const SoftmaxGradient&)> gradient;
};

}  // namespace chainrule
