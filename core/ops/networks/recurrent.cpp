// Recurrent networks over whole sequences, in layers and both directions.
#include "ops/networks/recurrent.hpp"

#include <algorithm>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/networks/dropout_noise.hpp"
#include "ops/networks/recurrent_layer.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/join.hpp"
#include "ops/views/split.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

struct LayerResult {
  Tensor output;
  CellState last;
};

// The input's part of the gates for all steps is one product.
Tensor all_gates(const Tensor& input, const CellParameters& p) { return linear(input, p.w_ih, p.b_ih); }

// Every step has the whole batch.
struct FullSequence {
  LayerResult run(Recurrence kind, const Tensor& input, CellState state, const CellParameters& p, bool reverse) const {
    if (kind == Recurrence::Lstm && fits_lstm_layer(input, state, p)) {
      auto [h, c] = lstm_layer(input, state, p, reverse);
      return {h, {select(h, 0, reverse ? 0 : h.size(0) - 1), c}};
    }
    std::vector<Tensor> steps = unbind(all_gates(input, p), 0), outputs(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      size_t t = reverse ? steps.size() - 1 - i : i;
      state = cell_step(kind, steps[t], state, p);
      outputs[t] = state.h;
    }
    return {stack(outputs, 0), state};
  }
};

Tensor first_rows(const Tensor& t, int64_t n) { return !t || t.size(0) == n ? t : narrow(t, 0, 0, n); }
Tensor rows_from(const Tensor& t, int64_t begin) { return t ? narrow(t, 0, begin, t.size(0) - begin) : t; }
CellState first_rows(const CellState& s, int64_t n) { return {first_rows(s.h, n), first_rows(s.c, n)}; }
CellState rows_from(const CellState& s, int64_t begin) { return {rows_from(s.h, begin), rows_from(s.c, begin)}; }
Tensor joined(const Tensor& a, const Tensor& b) { return a ? cat(std::vector<Tensor>{a, b}, 0) : a; }

// Step t has the first sizes[t] sequences of the batch.
struct PackedSequence {
  std::vector<int64_t> sizes;

  LayerResult run(Recurrence kind, const Tensor& input, const CellState& state, const CellParameters& p,
                  bool reverse) const {
    std::vector<Tensor> steps = split_with_sizes(all_gates(input, p), Span(sizes), 0);
    return reverse ? backwards(kind, steps, state, p) : forwards(kind, steps, state, p);
  }

 private:
  // Sequences that have ended keep the state they had.
  LayerResult forwards(Recurrence kind, const std::vector<Tensor>& steps, CellState state,
                       const CellParameters& p) const {
    std::vector<Tensor> outputs;
    std::vector<CellState> ended;
    for (size_t t = 0; t < steps.size(); ++t) {
      if (state.h.size(0) > sizes[t]) ended.push_back(rows_from(state, sizes[t]));
      state = cell_step(kind, steps[t], first_rows(state, sizes[t]), p);
      outputs.push_back(state.h);
    }
    for (; !ended.empty(); ended.pop_back()) {
      state = {joined(state.h, ended.back().h), joined(state.c, ended.back().c)};
    }
    return {cat(outputs, 0), state};
  }

  // Shorter sequences join with their first state when their last step comes.
  LayerResult backwards(Recurrence kind, const std::vector<Tensor>& steps, const CellState& start,
                        const CellParameters& p) const {
    std::vector<Tensor> outputs(steps.size());
    CellState state = first_rows(start, sizes.back());
    for (size_t t = steps.size(); t-- > 0;) {
      if (int64_t here = state.h.size(0); here < sizes[t]) {
        CellState fresh = rows_from(first_rows(start, sizes[t]), here);
        state = {joined(state.h, fresh.h), joined(state.c, fresh.c)};
      }
      state = cell_step(kind, steps[t], state, p);
      outputs[t] = state.h;
    }
    return {cat(outputs, 0), state};
  }
};

std::vector<CellParameters> cells(const RecurrentOptions& o, const std::vector<Tensor>& parameters, bool projected) {
  check(o.layers >= 0 && o.layers <= static_cast<int64_t>(parameters.size()),
        "got an incorrect number of RNN parameters: ", parameters.size(), " for ", o.layers, " layers");
  size_t each = (o.has_biases ? 4 : 2) + projected, count = static_cast<size_t>(o.layers * (o.bidirectional ? 2 : 1));
  check(parameters.size() == each * count, "got an incorrect number of RNN parameters: ", parameters.size(),
        " instead of ", each * count);
  std::vector<CellParameters> result;
  for (size_t i = 0; i < count; ++i) {
    const Tensor* p = parameters.data() + i * each;
    CellParameters c{p[0], p[1], {}, {}, {}};
    if (o.has_biases) {
      c.b_ih = p[2];
      c.b_hh = p[3];
    }
    if (projected) c.w_hr = p[each - 1];
    result.push_back(c);
  }
  return result;
}

Tensor between_layers(const Tensor& x, const RecurrentOptions& o) {
  if (o.dropout == 0 || !o.training) return x;
  return x * dropout_noise(x.sizes(), x.dtype(), o.dropout);
}

template <class Sequence>
RecurrentResult run_layers(const RecurrentOptions& o, const Sequence& sequence, Tensor input,
                           const std::vector<Tensor>& state, const std::vector<Tensor>& parameters) {
  bool has_c = o.kind == Recurrence::Lstm;
  check(state.size() == (has_c ? 2 : 1), has_c ? "lstm expects two hidden states" : "rnn expects one hidden state");
  for (const Tensor& s : state) check(s.ndim() == 3, "Expected hidden of 3 dimensions, but got shape ", s.sizes());
  bool projected = has_c && state[0].size(state[0].ndim() - 1) != state[1].size(state[1].ndim() - 1);
  std::vector<CellParameters> all = cells(o, parameters, projected);
  for (const Tensor& s : state) {
    check(s.size(0) == static_cast<int64_t>(all.size()), "Expected hidden of ", all.size(),
          " layers and directions, but got shape ", s.sizes());
  }
  std::vector<Tensor> h0 = unbind(state[0], 0), c0 = has_c ? unbind(state[1], 0) : std::vector<Tensor>(), h, c;
  size_t directions = o.bidirectional ? 2 : 1;
  for (size_t layer = 0; layer < static_cast<size_t>(o.layers); ++layer) {
    std::vector<Tensor> outputs;
    for (size_t d = 0; d < directions; ++d) {
      size_t i = layer * directions + d;
      LayerResult r = sequence.run(o.kind, input, {h0[i], has_c ? c0[i] : Tensor()}, all[i], d == 1);
      outputs.push_back(r.output);
      h.push_back(r.last.h);
      if (has_c) c.push_back(r.last.c);
    }
    input = directions == 1 ? outputs[0] : cat(outputs, outputs[0].ndim() - 1);
    if (layer + 1 < static_cast<size_t>(o.layers)) input = between_layers(input, o);
  }
  return {input, stack(h, 0), has_c ? stack(c, 0) : Tensor()};
}

}  // namespace

RecurrentResult recurrent(const RecurrentOptions& o, const Tensor& input, const std::vector<Tensor>& state,
                          const std::vector<Tensor>& parameters, bool batch_first) {
  check(input.ndim() == 3, "recurrent network: expected an input of three dimensions, but got shape ", input.sizes());
  check(o.layers > 0, "num_layers must be greater than zero, but got ", o.layers);
  Tensor x = batch_first ? transpose(input, 0, 1) : input;
  check(x.size(0) > 0, "Expected sequence length to be larger than 0 in RNN");
  RecurrentResult r = run_layers(o, FullSequence{}, x, state, parameters);
  if (batch_first) r.output = transpose(r.output, 0, 1);
  return r;
}

RecurrentResult recurrent_packed(const RecurrentOptions& o, const Tensor& data, const Tensor& batch_sizes,
                                 const std::vector<Tensor>& state, const std::vector<Tensor>& parameters) {
  check(batch_sizes.ndim() == 1 && batch_sizes.dtype() == DType::Int64 && batch_sizes.numel() > 0,
        "batch_sizes must be a vector of int64, but got ", facts(batch_sizes.dtype()).name, " of shape ",
        batch_sizes.sizes());
  Tensor sizes = contiguous(batch_sizes);
  PackedSequence sequence;
  sequence.sizes.assign(sizes.data<int64_t>(), sizes.data<int64_t>() + sizes.numel());
  check(std::is_sorted(sequence.sizes.rbegin(), sequence.sizes.rend()) && sequence.sizes.back() > 0,
        "batch_sizes must be positive and must not increase, but got ", Span(sequence.sizes));
  check(!state.empty() && state[0].ndim() == 3 && state[0].size(1) >= sequence.sizes[0], "Expected hidden states for ",
        sequence.sizes[0], " sequences");
  return run_layers(o, sequence, data, state, parameters);
}

}  // namespace chainrule
