// Recurrent networks over whole sequences, in layers and both directions.
#pragma once
#include <vector>

#include "ops/networks/recurrent_cell.hpp"

namespace chainrule {

struct RecurrentOptions {
  Recurrence kind;
  bool has_biases;
  int64_t layers;
  double dropout;  // between layers, when training
  bool training, bidirectional;
};

struct RecurrentResult {
  Tensor output, h, c;  // c for LSTM only
};

// input: (steps, batch, features), or (batch, steps, features) with batch_first. `state` has h and, for LSTM, c, each
// (layers * directions, batch, size); `parameters` are the weights and biases of every layer and direction in turn.
RecurrentResult recurrent(const RecurrentOptions& o, const Tensor& input, const std::vector<Tensor>& state,
                          const std::vector<Tensor>& parameters, bool batch_first);
// The same for sequences of several lengths, longest first, all first steps one after another, then all second steps
// and so on; batch_sizes tells how many sequences have each step.
RecurrentResult recurrent_packed(const RecurrentOptions& o, const Tensor& data, const Tensor& batch_sizes,
                                 const std::vector<Tensor>& state, const std::vector<Tensor>& parameters);

}  // namespace chainrule
