// Images at other sizes: along one dimension, each output a weighted sum of a few inputs.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

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

// (outer, in, inner) to (outer, out, inner), of float32, float64 or uint8.
struct Resampling {
  Filter filter;
  int64_t in, out;
  bool align_corners;
  double scale;  // that was asked for; where there is none (0) the sizes decide where the outputs lie
  int64_t outer, inner;
  DType dtype;
  const void* from;
  void* to;
};

struct ResampleKernels {
  Kernel<void(const Resampling&)> along;
  Kernel<void(const Resampling&)> along_transposed;  // from (outer, out, inner) to (outer, in, inner); of no bytes
};

}  // namespace chainrule
