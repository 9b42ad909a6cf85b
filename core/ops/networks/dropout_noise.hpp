// What dropout multiplies with.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// 0 with probability p, else 1 / (1 - p), from PyTorch's stream; for 0 < p <= 1.
Tensor dropout_noise(Span sizes, DType dtype, double p);

}  // namespace chainrule
