#include "backends/recurrent.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/matmul.hpp"

namespace chainrule::cuda {
namespace {

// Elements `i` of type dtype further.
const char* moved(const void* p, int64_t i, DType dtype) {
  return static_cast<const char*>(p) + i * static_cast<int64_t>(size_of(dtype));
}
char* moved(void* p, int64_t i, DType dtype) {
  return static_cast<char*>(p) + i * static_cast<int64_t>(size_of(dtype));
}

void run(const char* file, const char* entry, const CellRows& shape, const auto& task) {
  const int64_t work = shape.rows * shape.n;
  if (work == 0) return;
  KernelText(file, entry).type("T", storage_type(shape.dtype)).index(work).run({blocks_for_loop(work)}, kThreads, task);
}

// ---- single steps

struct LstmTask {
  const void *x = nullptr, *h = nullptr, *c = nullptr;
  void* gates = nullptr;
  void *h_after = nullptr, *c_after = nullptr;
  int64_t rows, n, after_row;
  const void *g_h = nullptr, *g_h_more = nullptr, *g_c = nullptr;
  int64_t g_row = 0;
  void *d_gates = nullptr, *d_c = nullptr;
};

void lstm(const LstmCell& c) {
  const CellRows& s = c.shape;
  run("lstm.cuh", "value", s,
      LstmTask{.x = c.x,
               .h = c.h,
               .c = c.c,
               .gates = c.gates,
               .h_after = c.state,
               .c_after = moved(c.state, s.n, s.dtype),
               .rows = s.rows,
               .n = s.n,
               .after_row = 2 * s.n});
}

void lstm_gradient(const LstmCellGradient& c) {
  const CellRows& s = c.shape;
  run("lstm.cuh", "gradient", s,
      LstmTask{.c = c.c,
               .gates = const_cast<void*>(c.gates),
               .c_after = moved(const_cast<void*>(c.state), s.n, s.dtype),
               .rows = s.rows,
               .n = s.n,
               .after_row = 2 * s.n,
               .g_h = c.g,
               .g_c = moved(c.g, s.n, s.dtype),
               .g_row = 2 * s.n,
               .d_gates = c.d_gates,
               .d_c = c.d_c});
}

struct GruTask {
  const void *x = nullptr, *h = nullptr, *before = nullptr;
  void* gates = nullptr;
  void* after = nullptr;
  int64_t rows, n;
  const void* g = nullptr;
  void *d_x = nullptr, *d_h = nullptr, *d_before = nullptr;
};

void gru(const GruCell& c) {
  run("gru.cuh", "value", c.shape,
      GruTask{.x = c.x,
              .h = c.h,
              .before = c.before,
              .gates = c.gates,
              .after = c.after,
              .rows = c.shape.rows,
              .n = c.shape.n});
}

void gru_gradient(const GruCellGradient& c) {
  run("gru.cuh", "gradient", c.shape,
      GruTask{.h = c.h,
              .before = c.before,
              .gates = const_cast<void*>(c.gates),
              .rows = c.shape.rows,
              .n = c.shape.n,
              .g = c.g,
              .d_x = c.d_x,
              .d_h = c.d_h,
              .d_before = c.d_before});
}

// ---- layers

// (rows, depth) @ b, all of one dtype.
void multiply(DType dtype, int64_t rows, int64_t depth, const void* a, const Matrix& b, void* out) {
  matmul_kernels.multiply.run({.factors = dtype,
                               .result = dtype,
                               .a = {static_cast<char*>(const_cast<void*>(a)), rows, depth, depth, 1},
                               .b = b,
                               .out = static_cast<char*>(out),
                               .alpha = {1, 0},
                               .beta = {0, 0}});
}

void lstm_layer(const LstmLayer& l) {
  const LstmShape& s = l.shape;
  const int64_t n = s.n, state = s.batch * n;
  const Matrix turned{static_cast<char*>(const_cast<void*>(l.weight)), n, 4 * n, 1, n};
  const void *h_before = l.h0, *c_before = l.c0;
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t at = s.step(i) * state;
    void *h = moved(l.h, at, s.dtype), *c = moved(l.c, at, s.dtype), *gates = moved(l.gates, 4 * at, s.dtype);
    multiply(s.dtype, s.batch, n, h_before, turned, l.from_state);
    run("lstm.cuh", "value", {s.dtype, s.batch, n},
        LstmTask{.x = gates,
                 .h = l.from_state,
                 .c = c_before,
                 .gates = gates,
                 .h_after = h,
                 .c_after = c,
                 .rows = s.batch,
                 .n = n,
                 .after_row = n});
    h_before = h;
    c_before = c;
  }
}

void lstm_layer_gradient(const LstmLayerGradient& l) {
  const LstmShape& s = l.shape;
  const int64_t n = s.n, state = s.batch * n;
  const Matrix weight{static_cast<char*>(const_cast<void*>(l.weight)), 4 * n, n, n, 1};
  for (int64_t i = s.steps; i-- > 0;) {
    const int64_t at = s.step(i) * state;
    void* d_gates = moved(l.d_gates, 4 * at, s.dtype);
    run("lstm.cuh", "gradient", {s.dtype, s.batch, n},
        LstmTask{.c = i > 0 ? moved(l.c, s.step(i - 1) * state, s.dtype) : l.c0,
                 .gates = const_cast<char*>(moved(l.gates, 4 * at, s.dtype)),
                 .c_after = const_cast<char*>(moved(l.c, at, s.dtype)),
                 .rows = s.batch,
                 .n = n,
                 .after_row = n,
                 .g_h = l.d_h,
                 .g_h_more = moved(l.g, at, s.dtype),
                 .g_c = l.d_c,
                 .g_row = n,
                 .d_gates = d_gates,
                 .d_c = l.d_c});
    multiply(s.dtype, s.batch, 4 * n, d_gates, weight, l.d_h);
  }
}

}  // namespace

const RecurrentKernels recurrent_kernels{
    .lstm = {lstm},
    .lstm_gradient = {lstm_gradient},
    .gru = {gru},
    .gru_gradient = {gru_gradient},
    .lstm_layer = {lstm_layer},
    .lstm_layer_gradient = {lstm_layer_gradient},
};

}  // namespace chainrule::cuda
