// Reading images at positions that a grid gives.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// x: (batch, channels, [depth,] height, width); grid: (batch, [depth,] height, width, 2 or 3), positions between -1 and
// 1, the last dimension's first. interpolation: 0 linear, 1 nearest, 2 cubic; padding: 0 zeros, 1 border, 2 reflection.
Tensor grid_sampler(const Tensor& x, const Tensor& grid, int64_t interpolation, int64_t padding, bool align_corners);
// The grid that an affine map makes for an image of this size.
Tensor affine_grid_generator(const Tensor& theta, const Dims& size, bool align_corners);

}  // namespace chainrule
