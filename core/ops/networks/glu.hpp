// The gated linear unit.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule { Tensor glu(const Tensor& x, int64_t dim); }  // namespace chainrule
