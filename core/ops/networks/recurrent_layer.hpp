// A whole layer of an LSTM as one operation.
#pragma once
#include <utility>

#include "ops/networks/recurrent_cell.hpp"

namespace chainrule {

// Whether lstm_layer can take these: floats, shapes that fit, no projection.
bool fits_lstm_layer(const Tensor& input, const CellState& start, const CellParameters& p);
// Every step's h (steps, batch, hidden) and the last c, from an input (steps, batch, features).
std::pair<Tensor, Tensor> lstm_layer(const Tensor& input, const CellState& start, const CellParameters& p,
                                     bool reverse);

}  // namespace chainrule
