#include "backends/embedding.hpp"

#include <optional>

#include "backends/cuda/bags.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct LookupTask {
  const int64_t* indices;
  const void* from;
  void* to;
  int64_t* times;
  int64_t count, rows, width, padding;
};

LookupTask task_of(const LookupCopy& c) {
  const Lookup& l = c.lookup;
  return {l.indices, c.from, c.to, nullptr, l.count, l.rows, l.width, l.padding};
}

KernelText text(const char* entry) {
  KernelText t("embedding.cuh", entry);
  return t.with("atomic.cuh").with("report.cuh");
}

void run(const char* entry, const char* type, const char* compute, int64_t work, const LookupTask& task) {
  if (work == 0) return;
  text(entry).type("S", type).type("T", compute).run({blocks_for_loop(work)}, kThreads, task);
}

void zero(void* to, size_t bytes) {
  if (bytes) CUDA_CALL(set_bytes, address(to), 0, bytes, current_stream());
}

// With how often each row is looked up, if the sums are divided by that.
void run_shared(const char* entry, const LookupCopy& c) {
  LookupTask task = task_of(c);
  std::optional<Scratch> times;
  if (c.lookup.by_frequency && task.count > 0) {
    times.emplace(static_cast<size_t>(task.rows) * sizeof(int64_t));
    zero(times->data(), static_cast<size_t>(task.rows) * sizeof(int64_t));
    task.times = reinterpret_cast<int64_t*>(times->data());
    text("count_rows").element(c.dtype).run({blocks_for(task.count)}, kThreads, task);
  }
  run(entry, storage_type(c.dtype), compute_type(c.dtype), task.count * task.width, task);
}

// Rows are moved in pieces as large as their length and place allow.
void copy(const LookupCopy& c) {
  LookupTask task = task_of(c);
  const auto bytes = static_cast<size_t>(task.width) * size_of(c.dtype);
  size_t piece = 16;
  const auto places = reinterpret_cast<uintptr_t>(c.from) | reinterpret_cast<uintptr_t>(c.to) | bytes;
  while (piece > 1 && places % piece != 0) piece /= 2;
  task.width = static_cast<int64_t>(bytes / piece);
  run("copy_rows", raw_type(piece), piece < 16 ? "int64_t" : raw_type(16), task.count * task.width, task);
}

void add(const LookupCopy& c) {
  zero(c.to, static_cast<size_t>(c.lookup.rows * c.lookup.width) * size_of(c.dtype));
  run_shared("add_rows", c);
}
void take(const LookupCopy& c) { run_shared("take_rows", c); }

}  // namespace

const EmbeddingKernels embedding_kernels{
    .copy = {copy},
    .add = {add},
    .take = {take},
    .shrink = {shrink_rows},
    .bag_sums = {bag_sums},
    .bag_shares = {bag_shares},
    .bag_numbers = {bag_numbers},
};

}  // namespace chainrule::cuda
