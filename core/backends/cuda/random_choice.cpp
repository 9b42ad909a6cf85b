// Indices drawn by weights.
#include <bit>
#include <stdexcept>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/random.hpp"
#include "backends/cuda/random_order.hpp"
#include "backends/select.hpp"

namespace chainrule::cuda {
namespace {

struct ChoiceTask {
  const char *weights, *clocks;
  char *shares, *totals;
  int64_t* indices;
  char* faults;
  int64_t rows, columns, samples;
  uint64_t seed, offset;
};

ChoiceTask task_of(const WeightedChoice& c) {
  return {c.weights, nullptr, nullptr, nullptr, c.indices, nullptr, c.rows, c.columns, c.samples, 0, 0};
}
void run(const char* entry, const WeightedChoice& c, int64_t blocks, int64_t threads, const ChoiceTask& task) {
  if (blocks == 0) return;
  KernelText("random_choice.cuh", entry)
      .with("random.cuh")
      .element(c.dtype)
      .run({blocks}, static_cast<int>(threads), task);
}
// Of a block that has a row: no more warps than the row fills.
int64_t threads_for_row(const WeightedChoice& c, int64_t most = kThreads) {
  return std::min(most, divide_up(c.columns, 32) * 32);
}
size_t bytes_of(const WeightedChoice& c) { return static_cast<size_t>(c.rows * c.columns) * size_of(c.dtype); }

void require(bool ok, const char* text) {
  if (!ok) throw std::runtime_error(text);
}

// Of the kernel that makes running totals of several rows.
int64_t threads_for_totals(int64_t rows, int64_t columns) {
  const int width = std::bit_width(static_cast<uint64_t>(columns - 1));
  const int height = std::bit_width(static_cast<uint64_t>(rows - 1));
  const int exponent = 9 + width - height;
  return int64_t{1} << (exponent < 0 ? 9 : std::clamp(exponent / 2, 4, 9));
}

void add_up(const WeightedChoice& c, const ChoiceTask& task) {
  if (c.rows == 1) return run("totals_of_one_row", c, 1, 1024, task);
  run("totals_of_rows", c, c.rows, threads_for_totals(c.rows, c.columns), task);
}

}  // namespace

// The host has to know, so it waits.
void check_weights(const WeightedChoice& c, bool together) {
  uint32_t faults = 0;
  Scratch on_device(sizeof faults);
  CUDA_CALL(set_bytes, address(on_device.data()), 0, sizeof faults, current_stream());
  ChoiceTask task = task_of(c);
  task.faults = on_device.data();
  run("check", c, c.rows, threads_for_row(c), task);
  read(&faults, on_device.data(), sizeof faults);
  require(!together || !(faults & 3), "probability tensor contains either `inf`, `nan` or element < 0");
  require(!(faults & 1), "invalid multinomial distribution (encountering probability entry < 0)");
  require(!(faults & 2), "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
  require(!(faults & 4), "invalid multinomial distribution (sum of probabilities <= 0)");
}

void choose(const WeightedChoice& c, Generator& generator) {
  if (c.rows * c.samples == 0) return;
  constexpr int64_t kMostOfGrid = 65535;
  const int64_t of_grid = std::min(c.rows, kMostOfGrid);
  const StreamPlace place(generator.philox(), 4 * ((c.rows - 1) / of_grid + 1));
  Scratch shares(bytes_of(c)), totals(bytes_of(c));
  ChoiceTask task = task_of(c);
  task.shares = shares.data();
  task.totals = totals.data();
  task.seed = place.seed;
  task.offset = place.offset;
  run("divide_by_sum", c, c.rows, threads_for_row(c, 1024), task);
  add_up(c, task);
  run("draw", c, divide_up(c.rows * c.samples, kThreads), kThreads, task);
}

void sample_without_replacement(const WeightedChoice& c, const char* clocks) {
  Scratch shares(bytes_of(c));
  ChoiceTask task = task_of(c);
  task.clocks = clocks;
  task.shares = shares.data();
  run("race", c, divide_up(c.rows * c.columns, kThreads), kThreads, task);
  if (c.samples == 1) return run("winner", c, c.rows, threads_for_row(c), task);
  Scratch values(static_cast<size_t>(c.rows * c.samples) * size_of(c.dtype));
  select_kernels.topk.run(
      {{c.dtype, shares.data(), c.rows, c.columns}, c.samples, true, true, values.data(), c.indices});
}

}  // namespace chainrule::cuda
