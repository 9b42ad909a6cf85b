#include "backends/recurrent.hpp"

#include <algorithm>
#include <memory>

#include "backends/cpu/gemm.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/recurrent.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule::cpu {
namespace {

const CellKernels<float>& cells(float) { return CR_DISPATCH(cells_float); }
const CellKernels<double>& cells(double) { return CR_DISPATCH(cells_double); }

// f(row) for all rows of n elements, on all threads.
template <class F>
void each_row(int64_t rows, int64_t n, F f) {
  constexpr int64_t kGrain = 8 * 1024;  // elements for one thread
  parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

template <class T>
const T* row(const void* data, int64_t i, int64_t n) {
  return static_cast<const T*>(data) + i * n;
}
template <class T>
T* row(void* data, int64_t i, int64_t n) {
  return static_cast<T*>(data) + i * n;
}

// ---- single steps

void lstm(const LstmCell& c) {
  const int64_t n = c.shape.n;
  with_kernel_type(c.shape.dtype, [&]<class T>(T t) {
    each_row(c.shape.rows, 4 * n, [&](int64_t i) {
      T* after = row<T>(c.state, i, 2 * n);
      cells(t).lstm(row<T>(c.x, i, 4 * n), row<T>(c.h, i, 4 * n), row<T>(c.c, i, n), row<T>(c.gates, i, 4 * n), after,
                    after + n, n);
    });
  });
}

void lstm_gradient(const LstmCellGradient& c) {
  const int64_t n = c.shape.n;
  with_kernel_type(c.shape.dtype, [&]<class T>(T t) {
    each_row(c.shape.rows, 4 * n, [&](int64_t i) {
      const T *g = row<T>(c.g, i, 2 * n), *after = row<T>(c.state, i, 2 * n);
      cells(t).lstm_gradient(g, g + n, row<T>(c.gates, i, 4 * n), row<T>(c.c, i, n), after + n,
                             row<T>(c.d_gates, i, 4 * n), row<T>(c.d_c, i, n), n);
    });
  });
}

void gru(const GruCell& c) {
  const int64_t n = c.shape.n;
  with_kernel_type(c.shape.dtype, [&]<class T>(T t) {
    each_row(c.shape.rows, 3 * n, [&](int64_t i) {
      cells(t).gru(row<T>(c.x, i, 3 * n), row<T>(c.h, i, 3 * n), row<T>(c.before, i, n), row<T>(c.gates, i, 3 * n),
                   row<T>(c.after, i, n), n);
    });
  });
}

void gru_gradient(const GruCellGradient& c) {
  const int64_t n = c.shape.n;
  with_kernel_type(c.shape.dtype, [&]<class T>(T t) {
    each_row(c.shape.rows, 3 * n, [&](int64_t i) {
      cells(t).gru_gradient(row<T>(c.g, i, n), row<T>(c.gates, i, 3 * n), row<T>(c.h, i, 3 * n), row<T>(c.before, i, n),
                            row<T>(c.d_x, i, 3 * n), row<T>(c.d_h, i, 3 * n), row<T>(c.d_before, i, n), n);
    });
  });
}

// ---- layers

// The weights (k, n) that every step multiplies with. For small batches their columns are arranged once as products
// read them, in panels; those of larger ones pay for arranging them anew.
template <class T>
class StepWeights {
 public:
  StepWeights(MatrixView<const T> b, int64_t k, int64_t n, int64_t batch) : b_(b), k_(k), n_(n) {
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
    if (!panels_) return gemm<T>(m, n_, k_, T(1), {a, k_, 1}, b_, T(0), {c, n_, 1});
    const int64_t grain = std::max<int64_t>(1, kWork / (m * k_ * kWidth));
    parallel_for(count(), grain, [&](int64_t begin, int64_t end) {
      each_panel(begin, end, [&](int64_t first, int64_t width, T* panel) {
        gemm<T>(m, width, k_, T(1), {a, k_, 1}, {panel, width, 1}, T(0), {c + first, n_, 1});
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

  MatrixView<const T> b_;
  int64_t k_, n_;
  std::unique_ptr<T[]> panels_;
};

template <class T>
void run_steps(const LstmLayer& l) {
  const LstmShape& s = l.shape;
  const int64_t n = s.n, state = s.batch * n;
  const StepWeights<T> turned({static_cast<const T*>(l.weight), 1, n}, n, 4 * n, s.batch);
  T *gates = static_cast<T*>(l.gates), *h = static_cast<T*>(l.h), *c = static_cast<T*>(l.c);
  T* from_state = static_cast<T*>(l.from_state);
  const T *h_before = static_cast<const T*>(l.h0), *c_before = static_cast<const T*>(l.c0);
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t at = s.step(i) * state;
    turned.multiply(s.batch, h_before, from_state);
    each_row(s.batch, 4 * n, [&](int64_t k) {
      T* x = gates + 4 * (at + k * n);
      cells(T{}).lstm(x, from_state + k * 4 * n, c_before + k * n, x, h + at + k * n, c + at + k * n, n);
    });
    h_before = h + at;
    c_before = c + at;
  }
}

template <class T>
void run_steps_back(const LstmLayerGradient& l) {
  const LstmShape& s = l.shape;
  const int64_t n = s.n, state = s.batch * n;
  const StepWeights<T> weights({static_cast<const T*>(l.weight), n, 1}, 4 * n, n, s.batch);
  const T *g = static_cast<const T*>(l.g), *c = static_cast<const T*>(l.c), *gates = static_cast<const T*>(l.gates);
  T *d_gates = static_cast<T*>(l.d_gates), *d_h = static_cast<T*>(l.d_h), *d_c = static_cast<T*>(l.d_c);
  for (int64_t i = s.steps; i-- > 0;) {
    const int64_t at = s.step(i) * state;
    const T* c_before = i > 0 ? c + s.step(i - 1) * state : static_cast<const T*>(l.c0);
    for (int64_t j = 0; j < state; ++j) d_h[j] += g[at + j];
    each_row(s.batch, 4 * n, [&](int64_t k) {
      const int64_t here = k * n;
      cells(T{}).lstm_gradient(d_h + here, d_c + here, gates + 4 * (at + here), c_before + here, c + at + here,
                               d_gates + 4 * (at + here), d_c + here, n);
    });
    weights.multiply(s.batch, d_gates + 4 * at, d_h);
  }
}

void lstm_layer(const LstmLayer& l) {
  with_kernel_type(l.shape.dtype, [&]<class T>(T) { run_steps<T>(l); });
}
void lstm_layer_gradient(const LstmLayerGradient& l) {
  with_kernel_type(l.shape.dtype, [&]<class T>(T) { run_steps_back<T>(l); });
}

}  // namespace

constinit const RecurrentKernels recurrent_kernels{{lstm},         {lstm_gradient}, {gru},
                                                   {gru_gradient}, {lstm_layer},    {lstm_layer_gradient}};

}  // namespace chainrule::cpu
