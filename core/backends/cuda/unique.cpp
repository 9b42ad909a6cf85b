#include "backends/unique.hpp"

#include <algorithm>
#include <utility>

#include "backends/cuda/exclusive_sums.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/sort.hpp"

namespace chainrule::cuda {
namespace {

struct UniqueTask {
  const void* rows;
  int64_t count, length;
  const int64_t *order, *places;
  int64_t *groups, *firsts, *inverse;
  void* to;
  int64_t* counts;
  const int64_t* before;
  int64_t *after, column;
};

void run(const char* entry, DType dtype, int64_t work, const UniqueTask& task) {
  if (work > 0) KernelText("unique.cuh", entry).element(dtype).run({blocks_for_loop(work)}, kThreads, task);
}

int64_t* numbers(const Scratch& room) { return reinterpret_cast<int64_t*>(room.data()); }

// By the last column first: each sort leaves what is equal as it was. NaN is the largest here, where the CPU, like
// PyTorch, has no order for it.
void sort(const RowOrder& r) {
  if (r.count == 0) return;
  const auto bytes = static_cast<size_t>(r.count) * sizeof(int64_t);
  const Scratch column(static_cast<size_t>(r.count) * size_of(r.dtype)), order(bytes), other(bytes);
  UniqueTask task{.rows = r.rows, .count = r.count, .length = r.length, .to = column.data()};
  int64_t *now = r.order, *next = numbers(other);
  for (int64_t c = r.length; c-- > 0;) {
    task.column = c;
    task.order = task.before;
    run("column", r.dtype, r.count, task);
    sort_rows({{r.dtype, column.data(), 1, r.count}, false, Ties::Kept, nullptr, numbers(order)});
    task.order = numbers(order);
    task.after = now;
    run("follow", r.dtype, r.count, task);
    task.before = now;
    std::swap(now, next);
  }
  if (task.before && task.before != r.order)
    CUDA_CALL(copy_on_device, address(r.order), address(task.before), bytes, current_stream());
}

void group(const EqualNeighbours& e) {
  const Scratch groups(static_cast<size_t>(e.count + 1) * sizeof(int64_t));
  const UniqueTask task{.rows = e.rows,
                        .count = e.count,
                        .length = e.length,
                        .order = e.in_order ? nullptr : e.order,
                        .places = e.order,
                        .groups = numbers(groups),
                        .firsts = e.firsts,
                        .inverse = e.inverse};
  run("begins", e.dtype, e.count + 1, task);
  exclusive_sums(task.groups, e.count + 1);
  run("number", e.dtype, e.count, task);
  read(e.groups, task.groups + e.count, sizeof(int64_t));
  if (e.count == 0) CUDA_CALL(set_bytes, address(e.firsts), 0, sizeof(int64_t), current_stream());
}

void take(const GroupRows& g) {
  run("take", g.dtype, g.groups * g.length,
      {.rows = g.rows,
       .count = g.groups,
       .length = g.length,
       .order = g.order,
       .firsts = const_cast<int64_t*>(g.firsts),
       .to = g.to,
       .counts = g.counts});
}

}  // namespace

const UniqueKernels unique_kernels{.sort = {sort}, .group = {group}, .take = {take}};

}  // namespace chainrule::cuda
