// A tensor's elements on another device.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// The tensor itself if it is there.
Tensor move_to(const Tensor& t, Device device);

}  // namespace chainrule
