// One step of a recurrent network.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

enum class Recurrence : uint8_t { Lstm, Gru, Tanh, Relu };

struct CellParameters {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;  // the biases and the projection may be null
};
struct CellState {
  Tensor h, c;  // c for LSTM only
};

// The next state; `gates` is the input's part of the gates, linear(input, w_ih, b_ih).
CellState cell_step(Recurrence kind, const Tensor& gates, const CellState& state, const CellParameters& p);
// The same from the input itself, checked.
CellState cell(Recurrence kind, const Tensor& input, const CellState& state, const CellParameters& p);

}  // namespace chainrule
