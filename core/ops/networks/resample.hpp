// Images at other sizes.
#pragma once
#include <optional>
#include <vector>

#include "backends/resample.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Over all but the first two dimensions. `scales` are those that were asked for, one per dimension or none; where one
// is given it decides where the outputs lie, otherwise the sizes do.
Tensor resample(Filter filter, const Tensor& x, const Dims& out, bool align_corners, const std::vector<double>& scales);

}  // namespace chainrule
