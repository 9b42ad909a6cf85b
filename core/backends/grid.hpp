// Images read at positions that a grid gives.
#pragma once
#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

struct GridSampler {
  enum Interpolation : int64_t { kLinear, kNearest, kCubic };
  enum Padding : int64_t { kZeros, kBorder, kReflection };

  int dims;
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
};

struct GridShape {
  int64_t batch, channels, points;
  std::array<int64_t, 3> size;  // depth, height, width
  int64_t plane() const { return size[0] * size[1] * size[2]; }
};

// x (batch, channels, plane) at the places of a grid (batch, points, dims), all of float32 or float64.
struct GridSampling {
  GridSampler sampler;
  GridShape shape;
  DType dtype;
  const void *x, *grid;
  void* y;
};

struct GridSamplingGradient {
  GridSampler sampler;
  GridShape shape;
  DType dtype;
  const void *g, *x, *grid;
  void *dx, *d_grid;  // dx may be null
};

// What is read at each point: for every corner the element and whether it is inside (1; else nothing is written), and
// for every dimension the rate and the rest of part = rate * grid + rest.
struct GridCorners {
  GridSampler sampler;
  GridShape shape;
  DType dtype;
  const void* grid;
  int64_t* index;  // (corners, points)
  void* inside;
  void *rate, *rest;  // (dims, points)
};

// The positions of an image's elements, the last dimension's first, and a 1 for the translation.
struct AffinePoints {
  int dims;
  std::array<int64_t, 3> size;
  bool align_corners;
  int64_t points;
  double* to;
};

struct GridKernels {
  Kernel<void(const GridSampling&)> sample;
  Kernel<void(const GridSamplingGradient&)> sample_gradient;
  Kernel<void(const GridCorners&)> corners;
  Kernel<void(const AffinePoints&)> affine_points;
};

}  // namespace chainrule
