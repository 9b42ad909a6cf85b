// The pointwise part of recurrent cells, row by row of a batch.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// n is the hidden size. Gates lie side by side in a row: input, forget, candidate, output for LSTM; reset, update,
// candidate for GRU. x and h are the two summands of the gates, before activation; `gates` are they after it.
template <class T>
struct CellKernels {
  // `gates` may be x itself
  void (*lstm)(const T* x, const T* h, const T* c, T* gates, T* h_after, T* c_after, int64_t n);
  // g_h and g_c are the gradients of the state after; d_gates is that of the gates before activation, d_c, which may be
  // g_c itself, that of the state before
  void (*lstm_gradient)(const T* g_h, const T* g_c, const T* gates, const T* c, const T* c_after, T* d_gates, T* d_c,
                        int64_t n);
  void (*gru)(const T* x, const T* h, const T* before, T* gates, T* after, int64_t n);
  // d_h differs from d_x in the candidate, whose second summand is multiplied by the reset gate
  void (*gru_gradient)(const T* g, const T* gates, const T* h, const T* before, T* d_x, T* d_h, T* d_before, int64_t n);
};

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const CellKernels<float> cells_float)
CR_DECLARE_PER_ISA(extern const CellKernels<double> cells_double)
