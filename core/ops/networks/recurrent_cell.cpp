// One step of a recurrent network: a product, then everything pointwise in one pass.
#include "ops/networks/recurrent_cell.hpp"

#include "backends/recurrent.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/product.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/views/join.hpp"
#include "ops/views/split.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kLstm{"lstm_cell", "ThnnFusedLstmCellBackward0",
             "dc = g_c + g_h * o * (1 - tanh(c)^2), and each gate's share of it through its activation"};
OpInfo kGru{"gru_cell", "ThnnFusedGruCellBackward0", "each gate's share of g through its activation"};

Tensor sigmoid_of(const Tensor& x) { return elementwise(OpId::sigmoid, {x}); }
Tensor tanh(const Tensor& x) { return elementwise(OpId::tanh, {x}); }

// ---- LSTM: the state (batch, 2 * hidden) is h beside c

Tensor composed_lstm(const std::vector<Tensor>& in) {
  std::vector<Tensor> gates = chunk(in[0] + in[1], 4, 1);
  Tensor c = sigmoid_of(gates[1]) * in[2] + sigmoid_of(gates[0]) * tanh(gates[2]);
  return cat(std::vector<Tensor>{sigmoid_of(gates[3]) * tanh(c), c}, 1);
}

CellRows rows_of(const Tensor& hidden, DType dtype) { return {dtype, hidden.size(0), hidden.size(1)}; }

void give_lstm_gradients(Backward& b) {
  Tensor g = prepared(b.g()), c = prepared(b.saved(2)), gates = b.saved(3), state = prepared(b.saved(4));
  Tensor d_gates = empty(gates.sizes(), g.dtype()), d_c = empty(c.sizes(), g.dtype());
  backend().recurrent->lstm_gradient.unlocked(work_on(gates.numel()), {rows_of(c, g.dtype()), g->data, gates->data,
                                                                       c->data, state->data, d_gates->data, d_c->data});
  Tensor result = to_dtype(d_gates, b.g().dtype());
  if (b.needs(0)) b.give(0, result);
  if (b.needs(1)) b.give(1, result);
  if (b.needs(2)) b.give(2, to_dtype(d_c, b.g().dtype()));
}

Tensor lstm_pointwise(const Tensor& x, const Tensor& h, const Tensor& c) {
  int64_t rows = c.size(0), n = c.size(1);
  Tensor state, gates;
  {
    GradModeScope off(false);
    Tensor a = prepared(x), b = prepared(h), before = prepared(c);
    gates = empty(a.sizes(), a.dtype());
    Tensor out = empty(Dims{rows, (2 * CheckedSize(n)).value()}, a.dtype());
    backend().recurrent->lstm.unlocked(
        work_on(gates.numel()), {rows_of(before, a.dtype()), a->data, b->data, before->data, gates->data, out->data});
    state = to_dtype(out, x.dtype());
  }
  return record(kLstm, state, {&x, &h, &c}, {&x, &h, &c, &gates, &state}, [](Backward& b) {
    if (!grad_enabled()) return give_lstm_gradients(b);
    give_composed_gradient(b, {b.saved(0), b.saved(1), b.saved(2)}, composed_lstm);
  });
}

// ---- GRU

Tensor composed_gru(const std::vector<Tensor>& in) {
  std::vector<Tensor> x = chunk(in[0], 3, 1), h = chunk(in[1], 3, 1);
  Tensor z = sigmoid_of(x[1] + h[1]), a = tanh(x[2] + sigmoid_of(x[0] + h[0]) * h[2]);
  return a + z * (in[2] - a);
}

void give_gru_gradients(Backward& b) {
  Tensor g = prepared(b.g()), h = prepared(b.saved(1)), before = prepared(b.saved(2)), gates = b.saved(3);
  Tensor d_x = empty(gates.sizes(), g.dtype()), d_h = empty(gates.sizes(), g.dtype()),
         d_before = empty(before.sizes(), g.dtype());
  backend().recurrent->gru_gradient.unlocked(
      work_on(gates.numel()),
      {rows_of(before, g.dtype()), g->data, gates->data, h->data, before->data, d_x->data, d_h->data, d_before->data});
  if (b.needs(0)) b.give(0, to_dtype(d_x, b.g().dtype()));
  if (b.needs(1)) b.give(1, to_dtype(d_h, b.g().dtype()));
  if (b.needs(2)) b.give(2, to_dtype(d_before, b.g().dtype()));
}

Tensor gru_pointwise(const Tensor& x, const Tensor& h, const Tensor& before) {
  Tensor after, gates;
  {
    GradModeScope off(false);
    Tensor a = prepared(x), b = prepared(h), state = prepared(before);
    gates = empty(a.sizes(), a.dtype());
    Tensor out = empty(state.sizes(), a.dtype());
    backend().recurrent->gru.unlocked(
        work_on(gates.numel()), {rows_of(state, a.dtype()), a->data, b->data, state->data, gates->data, out->data});
    after = to_dtype(out, x.dtype());
  }
  return record(kGru, after, {&x, &h, &before}, {&x, &h, &before, &gates}, [](Backward& b) {
    if (!grad_enabled()) return give_gru_gradients(b);
    give_composed_gradient(b, {b.saved(0), b.saved(1), b.saved(2)}, composed_gru);
  });
}

// Complex numbers have no kernels.
bool has_kernel(const Tensor& t) { return is_floating(t.dtype()); }

int64_t gate_count(Recurrence kind) { return kind == Recurrence::Lstm ? 4 : kind == Recurrence::Gru ? 3 : 1; }

void check_cell(Recurrence kind, const Tensor& input, const CellState& s, const CellParameters& p) {
  check(input.ndim() == 2 && s.h.ndim() == 2 && p.w_ih.ndim() == 2 && p.w_hh.ndim() == 2,
        "recurrent cell: input, hidden state and weights must be matrices, but got ", input.sizes(), ", ", s.h.sizes(),
        ", ", p.w_ih.sizes(), " and ", p.w_hh.sizes());
  check(input.size(1) == p.w_ih.size(1), "input has inconsistent input_size: got ", input.size(1), " expected ",
        p.w_ih.size(1));
  const int64_t gates = gate_count(kind), hidden = p.w_hh.size(1);
  for (auto [name, rows] : {std::pair("weight_ih", p.w_ih.size(0)), std::pair("weight_hh", p.w_hh.size(0))}) {
    const int64_t wanted = gates * hidden;
    check(rows == wanted, name, " first dim must be ", gates, " * hidden_size = ", wanted, ", but got ", rows);
  }
  check(s.h.size(1) == p.w_hh.size(1), "hidden0 has inconsistent hidden_size: got ", s.h.size(1), ", expected ",
        p.w_hh.size(1));
  check_multipliable(input, p.w_ih, "addmm_impl_cpu_");
  check(is_differentiable(input.dtype()) || gate_count(kind) == 1,
        "result type Float can't be cast to the desired output type ", facts(input.dtype()).tensor_name);
  check(input.size(0) == s.h.size(0), "Input batch size ", input.size(0), " doesn't match hidden0 batch size ",
        s.h.size(0));
  if (kind != Recurrence::Lstm) return;
  check(s.c.ndim() == 2, "recurrent cell: the state must be of matrices, but hidden1 has shape ", s.c.sizes());
  check(s.c.size(1) == hidden, "hidden1 has inconsistent hidden_size: got ", s.c.size(1), ", expected ", hidden);
  check(input.size(0) == s.c.size(0), "Input batch size ", input.size(0), " doesn't match hidden1 batch size ",
        s.c.size(0));
}

// PyTorch adds the input's part of the gates to the state's in place, so an input of one row may be broadcast.
void check_gates(const Tensor& gates, const Tensor& from_state) {
  bool fits = gates.ndim() == from_state.ndim();
  for (int d = 0; fits && d < gates.ndim(); ++d) fits = gates.size(d) == from_state.size(d) || gates.size(d) == 1;
  check(fits, "recurrent network: the input's part of the gates, of shape ", gates.sizes(),
        ", doesn't match the state's part of shape ", from_state.sizes());
}

// A kernel reads a row of gates for each row of the state, all of one dtype, and asks nothing. In PyTorch rows may be
// broadcast, and the state may be of another dtype than the input.
bool fits_kernel(const Tensor& gates, const Tensor& from_state, const Tensor& state, int64_t count) {
  const bool alike = gates.dtype() == from_state.dtype() && gates.dtype() == state.dtype() && gates.ndim() == 2 &&
                     state.ndim() == 2 && equal(gates.sizes(), from_state.sizes());
  return alike && has_kernel(gates) && state.size(0) == gates.size(0) && gates.size(1) % count == 0 &&
         state.size(1) == gates.size(1) / count;
}

}  // namespace

CellState cell_step(Recurrence kind, const Tensor& gates, const CellState& s, const CellParameters& p) {
  Tensor from_state = linear(s.h, p.w_hh, p.b_hh);
  check_gates(gates, from_state);
  if (kind == Recurrence::Tanh) return {tanh(gates + from_state), {}};
  if (kind == Recurrence::Relu) return {elementwise(OpId::relu, {gates + from_state}), {}};
  if (kind == Recurrence::Gru) {
    const bool fused = fits_kernel(gates, from_state, s.h, 3);
    return {fused ? gru_pointwise(gates, from_state, s.h) : composed_gru({gates, from_state, s.h}), {}};
  }
  const bool fused = fits_kernel(gates, from_state, s.c, 4);
  Tensor state = fused ? lstm_pointwise(gates, from_state, s.c) : composed_lstm({gates, from_state, s.c});
  int64_t n = state.size(1) / 2;
  std::vector<Tensor> parts = split(state, std::max<int64_t>(1, n), 1);
  Tensor h = n ? parts[0] : state, c = n ? parts[1] : state;
  return {p.w_hr ? linear(h, p.w_hr, Tensor()) : h, c};
}

CellState cell(Recurrence kind, const Tensor& input, const CellState& state, const CellParameters& p) {
  check_cell(kind, input, state, p);
  return cell_step(kind, linear(input, p.w_ih, p.b_ih), state, p);
}

}  // namespace chainrule
