#include "backends/search.hpp"

#include <algorithm>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct SearchTask {
  const void* boundaries;
  const int64_t* sorter;
  const void* values;
  void* out;
  int64_t rows, length, count;
  bool right, narrow;
};

void rows(const SearchedValues& v) {
  const int64_t all = std::max<int64_t>(v.in.rows, 1) * v.count;
  if (all == 0) return;
  KernelText("search.cuh", "find_places")
      .element(v.in.dtype)
      .run({blocks_for_loop(all)}, kThreads,
           SearchTask{v.in.boundaries, v.in.sorter, v.values, v.out, std::max<int64_t>(v.in.rows, 1), v.in.length,
                      v.count, v.right, v.narrow});
}

}  // namespace

const SearchKernels search_kernels{.rows = {rows}};

}  // namespace chainrule::cuda
