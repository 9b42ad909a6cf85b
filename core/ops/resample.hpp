// Images at other sizes.
#pragma once
#include <optional>
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

enum class Filter : uint8_t {
  Nearest,
  NearestExact,
  Linear,
  Cubic,
  LinearAntialiased,
  CubicAntialiased,
  LanczosAntialiased
};

// Over all but the first two dimensions. `scales` are those that were asked for, one per dimension or none; where one
// is given it decides where the outputs lie, otherwise the sizes do.
Tensor resample(Filter filter, const Tensor& x, const Dims& out, bool align_corners, const std::vector<double>& scales);

}  // namespace chainrule
