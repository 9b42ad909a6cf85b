// Attention: softmax(q @ k.T * scale + mask) @ v without the matrix of scores.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// (batch, heads, rows, width): strides in elements, rows themselves contiguous. A null one was not given.
struct HeadView {
  void* data;
  int64_t batch_stride, head_stride, row_stride;
};

struct AttentionShape {
  int64_t batch, heads, key_heads;  // heads is a multiple of key_heads
  int64_t queries, keys, width, value_width;
  double scale;
  bool causal;  // query i sees keys up to i
};

struct AttentionOperands {
  DType dtype;  // of all: float32 or float64
  HeadView q, k, v;
  HeadView mask;  // added to the scores; rows of `keys` elements
};

struct Attention {
  AttentionShape shape;
  AttentionOperands in;
  HeadView out;
  void* log_sums;  // (batch, heads, queries), contiguous: of each row of scores log(sum(exp(score)))
};

struct AttentionGradient {
  AttentionShape shape;
  AttentionOperands in;
  HeadView out;
  const void* log_sums;
  HeadView g, dq, dk, dv;
};

struct AttentionKernels {
  Kernel<void(const Attention&)> value;
  Kernel<void(const AttentionGradient&)> gradient;
};

}  // namespace chainrule
