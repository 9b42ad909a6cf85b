// Cells of recurrent networks: everything that is pointwise in one pass, and layers of such steps.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Of float32 or float64. n is the hidden size. Gates lie side by side in a row: input, forget, candidate, output for
// LSTM; reset, update, candidate for GRU. x and h are the two summands of the gates, before activation; `gates` are
// they after it.

struct CellRows {
  DType dtype;
  int64_t rows, n;
};

struct LstmCell {
  CellRows shape;
  const void *x, *h, *c;
  void *gates, *state;  // (rows, 2n): h beside c
};

struct LstmCellGradient {
  CellRows shape;
  const void *g, *gates, *c, *state;  // g: of the state after, `state`
  void *d_gates, *d_c;                // of the gates before activation, and of the c before
};

struct GruCell {
  CellRows shape;
  const void *x, *h, *before;
  void *gates, *after;
};

struct GruCellGradient {
  CellRows shape;
  const void *g, *gates, *h, *before;
  void *d_x, *d_h, *d_before;
};

// A layer of an LSTM with hidden size n.
struct LstmShape {
  DType dtype;
  int64_t steps, batch, n;
  bool reverse;
  int64_t step(int64_t i) const { return reverse ? steps - 1 - i : i; }  // the i-th in the order of time
};

struct LstmLayer {
  LstmShape shape;
  const void *h0, *c0, *weight;  // (4n, n)
  void* gates;                   // (steps, batch, 4n): the input's part of them is overwritten by the gates themselves
  void *h, *c;                   // (steps, batch, n)
  void* from_state;              // room for (batch, 4n)
};

struct LstmLayerGradient {
  LstmShape shape;
  const void *g, *c0, *weight, *gates, *c;
  void* d_gates;
  void *d_h, *d_c;  // come with what flows into the last state and leave with the gradients of the first one
};

struct RecurrentKernels {
  Kernel<void(const LstmCell&)> lstm;
  Kernel<void(const LstmCellGradient&)> lstm_gradient;
  Kernel<void(const GruCell&)> gru;
  Kernel<void(const GruCellGradient&)> gru_gradient;
  Kernel<void(const LstmLayer&)> lstm_layer;
  Kernel<void(const LstmLayerGradient&)> lstm_layer_gradient;
};

}  // namespace chainrule
