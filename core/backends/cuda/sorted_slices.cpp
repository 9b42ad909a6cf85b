#include "backends/cuda/sorted_slices.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/sort.hpp"
#include "backends/cuda/strided.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kRun = 32;  // as in kernels/sorted_slices.cuh

struct SortedTask {
  char* whole;
  const char* packed;
  const int64_t *keys, *order;
  char* unfinished;
  int64_t count, by, unit, none, runs;
  bool mean;
  Strided<1> before, after;
};

}  // namespace

void combine_in_order(const KeyedSlices& s, const Layout& before, const Layout& after) {
  const int64_t runs = divide_up(s.count, kRun), parts = before.numel() * runs * after.numel();
  if (parts == 0) return;
  const auto bytes = static_cast<size_t>(s.count) * sizeof(int64_t);
  const Scratch sorted(bytes), order(bytes);
  const Scratch unfinished(static_cast<size_t>(2 * parts) * size_of(compute_dtype(s.dtype)));
  auto *keys = reinterpret_cast<int64_t*>(sorted.data()), *places = reinterpret_cast<int64_t*>(order.data());
  sort_rows({{DType::Int64, s.keys, 1, s.count}, false, Ties::Kept, keys, places}, s.bits);
  const SortedTask task{s.whole, s.packed,  keys, places, unfinished.data(),  s.count,          s.single ? 0 : 1,
                        s.unit,  s.nowhere, runs, s.mean, Strided<1>(before), Strided<1>(after)};
  const auto run = [&](const char* entry) {
    KernelText text("sorted_slices.cuh", entry);
    text.with("atomic.cuh").with("combine.cuh").element(s.dtype).number("kCombine", static_cast<int64_t>(s.combine));
    text.run({blocks_for_loop(parts)}, kThreads, task);
  };
  run("combine_runs");
  if (runs > 1) run("join_runs");
}

}  // namespace chainrule::cuda
