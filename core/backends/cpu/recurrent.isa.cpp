// The pointwise part of recurrent cells.
#include "backends/cpu/recurrent.hpp"

#include <cmath>

#include "backends/cpu/gemm_vector.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
// clang-format off: each of these uses the ones before it
#include "backends/cpu/scalar/number.hpp"
#include "backends/cpu/scalar/exponential.hpp"
#include "backends/cpu/scalar/hyperbolic.hpp"
// clang-format on
}  // namespace number

namespace {

template <class T>
void lstm(const T* x, const T* h, const T* c, T* gates, T* h_after, T* c_after, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < 2 * n; ++j) gates[j] = number::sigmoid(x[j] + h[j]);
#pragma GCC ivdep
  for (int64_t j = 2 * n; j < 3 * n; ++j) gates[j] = number::tanh(x[j] + h[j]);
#pragma GCC ivdep
  for (int64_t j = 3 * n; j < 4 * n; ++j) gates[j] = number::sigmoid(x[j] + h[j]);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const T next = gates[n + j] * c[j] + gates[j] * gates[2 * n + j];
    c_after[j] = next;
    h_after[j] = gates[3 * n + j] * number::tanh(next);
  }
}

template <class T>
void lstm_gradient(const T* g_h, const T* g_c, const T* gates, const T* c, const T* c_after, T* d_gates, T* d_c,
                   int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const T i = gates[j], f = gates[n + j], a = gates[2 * n + j], o = gates[3 * n + j];
    const T t = number::tanh(c_after[j]), dh = g_h[j], dc = g_c[j] + dh * o * (1 - t * t);
    d_gates[j] = dc * a * i * (1 - i);
    d_gates[n + j] = dc * c[j] * f * (1 - f);
    d_gates[2 * n + j] = dc * i * (1 - a * a);
    d_gates[3 * n + j] = dh * t * o * (1 - o);
    d_c[j] = dc * f;
  }
}

template <class T>
void gru(const T* x, const T* h, const T* before, T* gates, T* after, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < 2 * n; ++j) gates[j] = number::sigmoid(x[j] + h[j]);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const T a = number::tanh(x[2 * n + j] + gates[j] * h[2 * n + j]);
    gates[2 * n + j] = a;
    after[j] = a + gates[n + j] * (before[j] - a);
  }
}

template <class T>
void gru_gradient(const T* g, const T* gates, const T* h, const T* before, T* d_x, T* d_h, T* d_before, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const T r = gates[j], z = gates[n + j], a = gates[2 * n + j];
    const T da = g[j] * (1 - z) * (1 - a * a), dr = da * h[2 * n + j] * r * (1 - r);
    const T dz = g[j] * (before[j] - a) * z * (1 - z);
    d_x[j] = d_h[j] = dr;
    d_x[n + j] = d_h[n + j] = dz;
    d_x[2 * n + j] = da;
    d_h[2 * n + j] = da * r;
    d_before[j] = g[j] * z;
  }
}

}  // namespace

constinit const CellKernels<float> cells_float{&lstm<float>, &lstm_gradient<float>, &gru<float>, &gru_gradient<float>};
constinit const CellKernels<double> cells_double{&lstm<double>, &lstm_gradient<double>, &gru<double>,
                                                 &gru_gradient<double>};

}  // namespace chainrule::cpu::CR_ISA
