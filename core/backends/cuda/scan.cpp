// Running totals: by blocks along rows, by threads along columns; in parts, where there are few of either.
#include "backends/scan.hpp"

#include <algorithm>
#include <optional>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct ScanTask {
  const void *x, *factors;
  void* to;
  int64_t* indices;
  void* of_parts;
  int64_t outer, n, inner, parts, each;
  bool reverse;
};

// As in kernels/scan.cuh; the first three are those of Scan.
enum Kind { kRecurrence = 3, kMax, kMin };
constexpr size_t kStateBytes = 32;  // the most that a state takes

const char* total_type(DType t) {
  return t == DType::Float32 ? "double" : t == DType::Complex64 ? "Complex<double>" : storage_type(t);
}

class ScanRun {
 public:
  ScanRun(int kind, DType dtype, const ScanTask& task) : kind_(kind), dtype_(dtype), task_(task) {}

  // `in_parts`: whether totals of parts may be joined.
  void start(bool in_parts) {
    ScanTask& t = task_;
    const bool by_rows = in_parts && t.inner == 1 && t.n >= 64;
    const int threads =
        by_rows ? static_cast<int>(std::clamp<int64_t>(divide_up(t.n, 128) * 32, 32, kThreads)) : kThreads;
    choose_parts(by_rows ? t.outer : divide_up(t.outer * t.inner, kThreads), by_rows ? 1024 : 32, in_parts);
    const int64_t lines = t.outer * t.inner * t.parts, blocks = by_rows ? lines : blocks_for(lines);
    std::optional<Scratch> room;
    if (t.parts > 1) {
      room.emplace(static_cast<size_t>(lines) * kStateBytes);
      t.of_parts = room->data();
      text(by_rows ? "row_totals" : "column_totals").run({blocks}, threads, t);
    }
    text(by_rows ? "rows" : "columns").run({blocks}, threads, t);
  }

 private:
  void choose_parts(int64_t blocks, int64_t least, bool in_parts) {
    const int64_t wanted = facts_of(current_device()).multiprocessors * int64_t{8};
    const int64_t parts = in_parts ? std::clamp<int64_t>(wanted / blocks, 1, 256) : 1;
    task_.each = std::max<int64_t>(1, divide_up(divide_up(task_.n, parts), least)) * least;
    task_.parts = divide_up(task_.n, task_.each);
  }
  KernelText text(const char* entry) const {
    KernelText t("scan.cuh", entry);
    return t.with("running.cuh").type("S", storage_type(dtype_)).type("A", total_type(dtype_)).number("kKind", kind_);
  }

  const int kind_;
  const DType dtype_;
  ScanTask task_;
};

void run(int kind, DType dtype, const ScanShape& s, ScanTask task) {
  if (s.outer * s.n * s.inner == 0) return;
  task.outer = s.outer, task.n = s.n, task.inner = s.inner, task.reverse = s.reverse;
  // Angles of complex logarithms go on beyond a turn, one element after another.
  ScanRun(kind, dtype, task).start(!(kind == static_cast<int>(Scan::LogSumExp) && is_complex(dtype)));
}

void total(const RunningTotal& r) { run(static_cast<int>(r.kind), r.dtype, r.shape, {.x = r.x, .to = r.out}); }
void recurrence(const Recurrence& r) { run(kRecurrence, r.dtype, r.shape, {.x = r.b, .factors = r.a, .to = r.out}); }
void extreme(const RunningExtreme& r) {
  run(r.is_max ? kMax : kMin, r.dtype, r.shape, {.x = r.x, .to = r.values, .indices = r.indices});
}

}  // namespace

const ScanKernels scan_kernels{.total = {total}, .recurrence = {recurrence}, .extreme = {extreme}};

}  // namespace chainrule::cuda
