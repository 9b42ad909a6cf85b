// A whole layer of an LSTM as one operation: what does not depend on the step before is one product for all steps, in
// the gradient too.
#include "ops/recurrent_layer.hpp"

#include <memory>

#include "backends/cpu/gemm.hpp"
#include "ops/arithmetic.hpp"
#include "ops/composed_gradient.hpp"
#include "ops/join.hpp"
#include "ops/kernel_input.hpp"
#include "ops/matmul.hpp"
#include "ops/recurrent_rows.hpp"
#include "ops/reduce.hpp"
#include "ops/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kLstmLayer{"lstm", "MkldnnRnnLayerBackward0",
                  "each step's gradient of the gates, last step first, then products with them for all steps at once"};

struct LayerShape {
  int64_t steps, batch, features, n;  // n: hidden
  bool reverse;
  LayerShape(const Tensor& input, const Tensor& w_hh, bool reverse)
      : steps(input.size(0)), batch(input.size(1)), features(input.size(2)), n(w_hh.size(1)), reverse(reverse) {}
  int64_t step(int64_t i) const { return reverse ? steps - 1 - i : i; }  // the i-th in the order of time
  int64_t rows() const { return steps * batch; }
  int64_t gates() const { return (4 * CheckedSize(n)).value(); }
};

// The weights (k, n) that every step multiplies with. For small batches their columns are arranged once as products
// read them, in panels; those of larger ones pay for arranging them anew.
template <class T>
class StepWeights {
 public:
  StepWeights(cpu::MatrixView<const T> b, int64_t k, int64_t n, int64_t batch) : b_(b), k_(k), n_(n) {
    if (batch > kSmallBatch) return;
    panels_ = std::make_unique_for_overwrite<T[]>(static_cast<size_t>((CheckedSize(k) * n).value()));
    each_panel(0, count(), [&](int64_t first, int64_t width, T* panel) {
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          panel[i * width + j] = b.data[i * b.row_stride + (first + j) * b.column_stride];
        }
      }
    });
  }

  // c (m, n) = a (m, k) @ weights, both contiguous.
  void multiply(int64_t m, const T* a, T* c) const {
    if (!panels_) return cpu::gemm<T>(m, n_, k_, T(1), {a, k_, 1}, b_, T(0), {c, n_, 1});
    const int64_t grain = std::max<int64_t>(1, kWork / (m * k_ * kWidth));
    cpu::parallel_for(count(), grain, [&](int64_t begin, int64_t end) {
      each_panel(begin, end, [&](int64_t first, int64_t width, T* panel) {
        cpu::gemm<T>(m, width, k_, T(1), {a, k_, 1}, {panel, width, 1}, T(0), {c + first, n_, 1});
      });
    });
  }

 private:
  static constexpr int64_t kWidth = 48, kSmallBatch = 128, kWork = 1 << 20;

  int64_t count() const { return (n_ + kWidth - 1) / kWidth; }
  template <class F>
  void each_panel(int64_t begin, int64_t end, F f) const {
    for (int64_t i = begin; i < end; ++i) {
      f(i * kWidth, std::min(kWidth, n_ - i * kWidth), panels_.get() + i * kWidth * k_);
    }
  }

  cpu::MatrixView<const T> b_;
  int64_t k_, n_;
  std::unique_ptr<T[]> panels_;
};

// The input's part of the gates, (steps * batch, 4n), is overwritten by the gates themselves; h and c get every step.
template <class T>
void run_steps(const LayerShape& s, const T* h0, const T* c0, const T* weight, T* gates, T* h, T* c) {
  const int64_t state = s.batch * s.n;
  const StepWeights<T> turned({weight, 1, s.n}, s.n, 4 * s.n, s.batch);
  Tensor from_state = empty(Dims{s.batch, s.gates()}, sizeof(T) == 8 ? DType::Float64 : DType::Float32);
  const T *h_before = h0, *c_before = c0;
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t at = s.step(i) * state;
    turned.multiply(s.batch, h_before, from_state.data<T>());
    each_cell_row(s.batch, 4 * s.n, [&](int64_t row) {
      T* x = gates + 4 * (at + row * s.n);
      cell_kernels(T{}).lstm(x, from_state.data<T>() + row * 4 * s.n, c_before + row * s.n, x, h + at + row * s.n,
                             c + at + row * s.n, s.n);
    });
    h_before = h + at;
    c_before = c + at;
  }
}

// d_h and d_c come with what flows into the last state and leave with the gradients of the first one.
template <class T>
void run_steps_back(const LayerShape& s, const T* g, const T* c0, const T* weight, const T* gates, const T* c,
                    T* d_gates, T* d_h, T* d_c) {
  const int64_t state = s.batch * s.n;
  const StepWeights<T> weights({weight, s.n, 1}, 4 * s.n, s.n, s.batch);
  for (int64_t i = s.steps; i-- > 0;) {
    const int64_t at = s.step(i) * state;
    const T* c_before = i > 0 ? c + s.step(i - 1) * state : c0;
    for (int64_t j = 0; j < state; ++j) d_h[j] += g[at + j];
    each_cell_row(s.batch, 4 * s.n, [&](int64_t row) {
      const int64_t here = row * s.n;
      cell_kernels(T{}).lstm_gradient(d_h + here, d_c + here, gates + 4 * (at + here), c_before + here, c + at + here,
                                      d_gates + 4 * (at + here), d_c + here, s.n);
    });
    weights.multiply(s.batch, d_gates + 4 * at, d_h);
  }
}

Tensor flat(const Tensor& x) { return reshape(x, Dims{count(x.sizes().first(2)), x.size(2)}); }

// The gradient of w_hh: each step's gates with the state before it.
Tensor state_weight_gradient(const LayerShape& s, const Tensor& d_gates, const Tensor& h0, const Tensor& h) {
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
  LayerShape s(input, w_hh, reverse);
  Tensor g = contiguous(b.g(0)), d_h = zeros(h0.sizes(), h0.dtype()), d_c = clone(contiguous(b.g(1)));
  Tensor d_gates = empty(gates.sizes(), gates.dtype());
  with_kernel_type(g.dtype(), [&]<class T>(T) {
    run_steps_back<T>(s, g.data<T>(), c0.data<T>(), w_hh.data<T>(), gates.data<T>(), c.data<T>(), d_gates.data<T>(),
                      d_h.data<T>(), d_c.data<T>());
  });
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
  LayerShape s(in[0], in[4], reverse);
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
  LayerShape s(input, p.w_hh, reverse);
  Tensor gates, h, c, last;
  {
    GradModeScope off(false);
    Tensor bias = p.b_ih && p.b_hh ? p.b_ih + p.b_hh : Tensor();
    gates = view(linear(flat(input), p.w_ih, bias), Dims{s.steps, s.batch, s.gates()});
    h = empty(Dims{s.steps, s.batch, s.n}, input.dtype());
    c = empty(h.sizes(), input.dtype());
    Tensor h0 = contiguous(start.h), c0 = contiguous(start.c), w_hh = contiguous(p.w_hh);
    with_kernel_type(input.dtype(), [&]<class T>(T) {
      run_steps<T>(s, h0.data<T>(), c0.data<T>(), w_hh.data<T>(), gates.data<T>(), h.data<T>(), c.data<T>());
    });
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
