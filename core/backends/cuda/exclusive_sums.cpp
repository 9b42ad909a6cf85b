#include "backends/cuda/exclusive_sums.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kTile = 2048;  // as in kernels/exclusive_sums.cuh

struct SumsTask {
  int64_t *numbers, n, *totals, *bases;
};

void run(const char* entry, int64_t blocks, const SumsTask& task) {
  KernelText("exclusive_sums.cuh", entry).with("running.cuh").run({blocks}, kThreads, task);
}

}  // namespace

void exclusive_sums(int64_t* numbers, int64_t n, int64_t* total) {
  const int64_t tiles = divide_up(n, kTile);
  if (tiles <= 1) return run("sum_tiles", 1, {numbers, n, total, nullptr});
  const Scratch room(static_cast<size_t>(tiles) * sizeof(int64_t));
  auto* totals = reinterpret_cast<int64_t*>(room.data());
  run("sum_tiles", tiles, {numbers, n, totals, nullptr});
  exclusive_sums(totals, tiles, total);
  run("add_bases", blocks_for(n), {numbers, n, nullptr, totals});
}

}  // namespace chainrule::cuda
