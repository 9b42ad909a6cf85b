// Several operands of one shape, as kernels written by hand are told of them.
#pragma once
#include <array>

#include "backends/cuda/layout.hpp"

namespace chainrule::cuda {

// As in kernels/block.cuh. Dimensions that follow each other in all operands are one.
template <int operands>
struct Strided {
  int64_t numel, dimensions, sizes[Layout::kMostDimensions], strides[operands][Layout::kMostDimensions];

  // `in_order`: elements are counted in the order of their indices, whatever the strides are.
  Strided(Span shape, const std::array<Span, operands>& of, bool in_order = false)
      : Strided(Layout(shape, of, in_order)) {}
  explicit Strided(const Layout& layout) : numel(layout.numel()), dimensions(layout.dimensions()), sizes{}, strides{} {
    for (int d = 0; d < layout.dimensions(); ++d) {
      sizes[d] = layout.size(d);
      for (int k = 0; k < operands; ++k) strides[k][d] = layout.stride(k, d);
    }
  }
};

}  // namespace chainrule::cuda
