// Starting kernels.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {

constexpr int kThreads = 256;  // of a block, unless a kernel says otherwise
constexpr int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

struct Grid {
  int64_t x = 1, y = 1;
};

// A kernel takes one struct, which `arguments` begins with.
inline void launch(Function f, Grid grid, int threads, const void* arguments, unsigned shared = 0) {
  void* parameters[] = {const_cast<void*>(arguments)};
  CUDA_CALL(launch, f, static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), 1, static_cast<unsigned>(threads),
            1, 1, shared, current_stream(), parameters, nullptr);
}

// Blocks for so many threads, a few for each multiprocessor at most where a kernel loops.
inline int64_t blocks_for(int64_t threads) { return std::max<int64_t>(1, divide_up(threads, kThreads)); }
inline int64_t blocks_for_loop(int64_t threads) {
  return std::min<int64_t>(blocks_for(threads), facts_of(current_device()).multiprocessors * int64_t{16});
}

}  // namespace chainrule::cuda
