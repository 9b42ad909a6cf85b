// Sliding blocks of images as columns.
#pragma once
#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

struct Patches {
  int64_t height, width, rows, columns;  // of the image, and of the blocks in it
  std::array<int64_t, 2> kernel, dilation, padding, stride;

  int64_t taps() const { return kernel[0] * kernel[1]; }
  int64_t blocks() const { return rows * columns; }
};

// Between images (planes, height, width) and their columns (planes, taps, blocks), of float32 or float64.
struct PatchCopy {
  const Patches& patches;
  int64_t planes;
  DType dtype;
  const void* from;
  void* to;
};

struct PatchesKernels {
  Kernel<void(const PatchCopy&)> take;  // columns of images, zeros where a block reaches into the padding
  Kernel<void(const PatchCopy&)> add;   // its transpose
};

}  // namespace chainrule
