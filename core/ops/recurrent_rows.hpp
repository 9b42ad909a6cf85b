// The kernels of recurrent cells, and the rows of a batch that they run over.
#pragma once
#include <algorithm>

#include "backends/cpu/recurrent.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule {

inline const cpu::CellKernels<float>& cell_kernels(float) { return CR_DISPATCH(cells_float); }
inline const cpu::CellKernels<double>& cell_kernels(double) { return CR_DISPATCH(cells_double); }

// f(row) for all rows of n elements, on all threads.
template <class F>
void each_cell_row(int64_t rows, int64_t n, F f) {
  constexpr int64_t kGrain = 8 * 1024;  // elements for one thread
  cpu::parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace chainrule
