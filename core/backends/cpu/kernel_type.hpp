// From a dtype known at run time to the type of the elements that kernels of networks take.
#pragma once
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

// Calls f(T{}): double, else float.
template <class F>
void with_kernel_type(DType dtype, F f) {
  dtype == DType::Float64 ? f(double{}) : f(float{});
}

}  // namespace chainrule::cpu
