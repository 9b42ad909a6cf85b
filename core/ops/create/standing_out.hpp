// What fills memory that nobody has written, while deterministic programs ask for it (fills_new_memory in create.hpp).
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// With NaN, or the largest integer: values that stand out.
void fill_standing_out(const Tensor& t);

}  // namespace chainrule
