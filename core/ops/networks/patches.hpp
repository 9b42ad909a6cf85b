// Sliding blocks as columns and back, and images whose channels become pixels.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

struct PatchOptions {
  Dims kernel, dilation, padding, stride;  // two numbers each
};

// (batch, channels, height, width) to (batch, channels * taps, blocks), and its transpose, which adds what overlaps.
Tensor im2col(const Tensor& x, const PatchOptions& o);
Tensor col2im(const Tensor& columns, const Dims& out, const PatchOptions& o);

Tensor pixel_shuffle(const Tensor& x, int64_t factor);
Tensor pixel_unshuffle(const Tensor& x, int64_t factor);
Tensor channel_shuffle(const Tensor& x, int64_t groups);

}  // namespace chainrule
