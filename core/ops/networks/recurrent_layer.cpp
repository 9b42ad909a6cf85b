// A whole layer of an LSTM as one operation: what does not depend on the step before is one product for all steps, in
// the gradient too.
#include "ops/networks/recurrent_layer.hpp"

#include "backends/recurrent.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/join.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kLstmLayer{"lstm", "MkldnnRnnLayerBackward0",
                  "each step's gradient of the gates, last step first, then products with them for all steps at once"};

LstmShape lstm_shape(const Tensor& input, const Tensor& w_hh, bool reverse) {
  return {input.dtype(), input.size(0), input.size(1), w_hh.size(1), reverse};
}

int64_t gate_width(const LstmShape& s) { return (4 * CheckedSize(s.n)).value(); }

Tensor flat(const Tensor& x) { return reshape(x, Dims{count(x.sizes().first(2)), x.size(2)}); }

// The gradient of w_hh: each step's gates with the state before it.
Tensor state_weight_gradient(const LstmShape& s, const Tensor& d_gates, const Tensor& h0, const Tensor& h) {
  Tensor first = mm(t(select(d_gates, 0, s.step(0))), h0);
  if (s.steps == 1) return first;
  Tensor later = narrow(d_gates, 0, s.reverse ? 0 : 1, s.steps - 1);
  Tensor before = narrow(h, 0, s.reverse ? 1 : 0, s.steps - 1);
  return addmm(first, t(flat(later)), flat(before), Scalar(1.0), Scalar(1.0));
}

// Inputs of the node: input, h0, c0, w_ih, w_hh, b_ih, b_hh.
void give_gradients(Backward& b, bool reverse, bool biased) {
  Tensor input = b.saved(0), h0 = contiguous(b.saved(1)), c0 = contiguous(b.saved(2)), w_ih = b.saved(3),
         w_hh = contiguous(b.saved(4)), gates = b.saved(7), h = b.saved(8), c = b.saved(9);
  const LstmShape s = lstm_shape(input, w_hh, reverse);
  Tensor g = contiguous(b.g(0)), d_h = zeros(h0.sizes(), h0.dtype()), d_c = clone(contiguous(b.g(1)));
  Tensor d_gates = empty(gates.sizes(), gates.dtype());
  backend().recurrent->lstm_layer_gradient.unlocked(
      work_on(gates.numel(), static_cast<double>(s.n)),
      {s, g->data, c0->data, w_hh->data, gates->data, c->data, d_gates->data, d_h->data, d_c->data});
  if (b.needs(0)) b.give(0, view(mm(flat(d_gates), w_ih), input.sizes()));
  if (b.needs(1)) b.give(1, d_h);
  if (b.needs(2)) b.give(2, d_c);
  if (b.needs(3)) b.give(3, mm(t(flat(d_gates)), flat(input)));
  if (b.needs(4)) b.give(4, state_weight_gradient(s, d_gates, h0, h));
  if (!biased || !(b.needs(5) || b.needs(6))) return;
  Tensor d_bias = sum(d_gates, Dims{0, 1}, false, {});
  if (b.needs(5)) b.give(5, d_bias);
  if (b.needs(6)) b.give(6, d_bias);
}

std::vector<Tensor> composed(const std::vector<Tensor>& in, bool reverse) {
  CellState state{in[1], in[2]};
  CellParameters p{in[3], in[4], in[5], in[6], {}};
  const LstmShape s = lstm_shape(in[0], in[4], reverse);
  std::vector<Tensor> outputs(static_cast<size_t>(s.steps));
  for (int64_t i = 0; i < s.steps; ++i) {
    state = cell(Recurrence::Lstm, select(in[0], 0, s.step(i)), state, p);
    outputs[static_cast<size_t>(s.step(i))] = state.h;
  }
  return {stack(outputs, 0), state.c};
}

bool is_matrix(const Tensor& t, int64_t rows, int64_t columns, DType dtype) {
  return t.ndim() == 2 && t.size(0) == rows && t.size(1) == columns && t.dtype() == dtype;
}

}  // namespace

bool fits_lstm_layer(const Tensor& input, const CellState& start, const CellParameters& p) {
  DType dtype = input.dtype();
  if ((dtype != DType::Float32 && dtype != DType::Float64) || p.w_hr || p.w_hh.ndim() != 2) return false;
  const int64_t batch = input.size(1), n = p.w_hh.size(1);
  auto fits = [&](const Tensor& bias) {
    return !bias || (bias.ndim() == 1 && bias.size(0) == 4 * n && bias.dtype() == dtype);
  };
  return n > 0 && batch > 0 && input.size(2) > 0 && is_matrix(p.w_ih, 4 * n, input.size(2), dtype) &&
         is_matrix(p.w_hh, 4 * n, n, dtype) && is_matrix(start.h, batch, n, dtype) &&
         is_matrix(start.c, batch, n, dtype) && fits(p.b_ih) && fits(p.b_hh);
}

std::pair<Tensor, Tensor> lstm_layer(const Tensor& input, const CellState& start, const CellParameters& p,
                                     bool reverse) {
  const LstmShape s = lstm_shape(input, p.w_hh, reverse);
  Tensor gates, h, c, last;
  {
    GradModeScope off(false);
    Tensor bias = p.b_ih && p.b_hh ? p.b_ih + p.b_hh : Tensor();
    gates = view(linear(flat(input), p.w_ih, bias), Dims{s.steps, s.batch, gate_width(s)});
    h = empty(Dims{s.steps, s.batch, s.n}, input.dtype());
    c = empty(h.sizes(), input.dtype());
    Tensor h0 = contiguous(start.h), c0 = contiguous(start.c), w_hh = contiguous(p.w_hh);
    Tensor from_state = empty(Dims{s.batch, gate_width(s)}, input.dtype());
    backend().recurrent->lstm_layer.unlocked(
        work_on(gates.numel(), static_cast<double>(s.n)),
        {s, h0->data, c0->data, w_hh->data, gates->data, h->data, c->data, from_state->data});
    last = clone(select(c, 0, s.step(s.steps - 1)));
  }
  std::initializer_list<const Tensor*> inputs = {&input, &start.h, &start.c, &p.w_ih, &p.w_hh, &p.b_ih, &p.b_hh};
  return record_pair(
      kLstmLayer, h, last, inputs, {&input, &start.h, &start.c, &p.w_ih, &p.w_hh, &p.b_ih, &p.b_hh, &gates, &h, &c},
      [reverse, biased = static_cast<bool>(p.b_ih)](Backward& b) {
        if (!grad_enabled()) return give_gradients(b, reverse, biased);
        std::vector<Tensor> in;
        for (int i = 0; i < 7; ++i) in.push_back(saved_if(b, i, i < 5 || biased));
        give_composed_gradients(b, in, [&](const std::vector<Tensor>& given) { return composed(given, reverse); });
      });
}

}  // namespace chainrule
