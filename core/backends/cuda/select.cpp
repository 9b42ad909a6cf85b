// Picking elements by rank: a block for each row, or by sorting where rows are short, or few and long. Where equal
// elements compete, the first ones are taken, so that every run gives the same.
#include "backends/select.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/sort.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kLongRow = 64 * 1024, kFewRows = 16;
bool has_few_long_rows(const PackedRows& x) { return x.length > kLongRow && x.count < kFewRows; }

struct SelectTask {
  const void* x;
  void* values;
  int64_t* indices;
  const int64_t* order;
  int64_t rows, n, k;
  bool largest, of_numbers, ignore_nan;
};

void run(const char* entry, DType dtype, int64_t blocks, int threads, const SelectTask& task) {
  KernelText text("select.cuh", entry);
  text.with("order_key.cuh").with("running.cuh").type("S", storage_type(dtype)).type("K", key_type(dtype));
  text.run({blocks}, threads, task);
}
void run_blocks(const char* entry, DType dtype, const SelectTask& task) {
  run(entry, dtype, task.rows, task.n >= 16 * 1024 ? 1024 : kThreads, task);
}

// Rows in order, for as long as they are wanted.
class Sorted {
 public:
  Sorted(const PackedRows& x, bool descending)
      : values_(static_cast<size_t>(x.count * x.length) * size_of(x.dtype)),
        order_(static_cast<size_t>(x.count * x.length) * sizeof(int64_t)) {
    sort_rows({x, descending, Ties::Kept, values_.data(), order()});
  }
  const void* values() const { return values_.data(); }
  int64_t* order() const { return reinterpret_cast<int64_t*>(order_.data()); }

 private:
  const Scratch values_, order_;
};

void topk(const TopElements& top) {
  const PackedRows& x = top.x;
  if (top.k == 0 || x.count == 0) return;
  const SortedCopy all{x, top.largest, Ties::Kept, top.values, top.indices};
  if (x.length <= kShortRow) return sort_short_rows(all, top.k);
  SelectTask task{x.data, top.values, top.indices, nullptr, x.count, x.length, top.k, top.largest, false, false};
  if (has_few_long_rows(x)) {
    const Sorted sorted(x, top.largest);
    task.x = sorted.values();
    task.order = sorted.order();
    return run("leading", x.dtype, blocks_for_loop(x.count * top.k), kThreads, task);
  }
  if (!top.sorted) return run_blocks("topk", x.dtype, task);
  const auto picked = static_cast<size_t>(x.count * top.k);
  const Scratch values(picked * size_of(x.dtype)), indices(picked * sizeof(int64_t));
  task.values = values.data();
  task.indices = reinterpret_cast<int64_t*>(indices.data());
  run_blocks("topk", x.dtype, task);
  sort_rows({{x.dtype, values.data(), x.count, top.k}, top.largest, Ties::Kept, top.values, top.indices});
  task.order = task.indices;
  task.indices = top.indices;
  run("follow", x.dtype, blocks_for_loop(x.count * top.k), kThreads, task);
}

void rank(const PickedElements& p, int64_t k, bool of_numbers, bool ignore_nan) {
  if (p.x.count == 0) return;
  SelectTask task{p.x.data, p.values, p.indices, nullptr, p.x.count, p.x.length, k, false, of_numbers, ignore_nan};
  if (p.x.length > kShortRow && !has_few_long_rows(p.x)) return run_blocks("ranked", p.x.dtype, task);
  const Sorted sorted(p.x, false);
  task.x = sorted.values();
  task.order = sorted.order();
  run("ranked_in_order", p.x.dtype, blocks_for(p.x.count), kThreads, task);
}

void kth(const PickedElements& p, int64_t k) { rank(p, k, false, false); }
void median(const PickedElements& p, bool ignore_nan) { rank(p, 0, true, ignore_nan); }

void mode(const PickedElements& p) {
  if (p.x.count == 0) return;
  const Sorted sorted(p.x, false);
  run("mode_in_order", p.x.dtype, p.x.count, kThreads,
      {sorted.values(), p.values, p.indices, sorted.order(), p.x.count, p.x.length, 0, false, false, false});
}

}  // namespace

const SelectKernels select_kernels{.topk = {topk}, .kth = {kth}, .median = {median}, .mode = {mode}};

}  // namespace chainrule::cuda
