// Reading and writing where a mask is true.
#pragma once
#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// How many are true.
struct MaskCount {
  Span sizes;
  const uint8_t* mask;
  Span strides;
  int64_t* count;
};

// The elements of a whole under a mask, and those beside them: packed, in order.
struct MaskedElements {
  Span sizes;
  const uint8_t* mask;
  Span mask_strides;
  DType dtype;
  char* whole;
  Span strides;
  char* packed;
};

// Where in memory the elements under the mask are, counted in elements from the first.
struct MaskOffsets {
  Span sizes;
  const uint8_t* mask;
  Span mask_strides, strides;
  int64_t* to;
};

// The coordinates of the first `found` elements under a contiguous mask: coordinate d of element i is at d * found + i.
struct MaskCoordinates {
  Span sizes;
  const uint8_t* mask;
  int64_t found;
  int64_t* to;
};

struct MaskKernels {
  Kernel<void(const MaskCount&)> count;
  Kernel<void(const MaskedElements&)> fill;  // with the one element that is packed
  Kernel<void(const MaskedElements&)> read;
  Kernel<void(const MaskedElements&)> write;
  Kernel<void(const MaskOffsets&)> offsets;
  Kernel<void(const MaskCoordinates&)> coordinates;
};

}  // namespace chainrule
