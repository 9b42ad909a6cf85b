#include "backends/pool.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/tables.hpp"

namespace chainrule::cuda {
namespace {

struct Reach {
  int64_t first = 0, last = 0;  // windows that may hold an element
};

struct PoolTask {
  const void* x;
  void* y;
  int64_t* index;
  int64_t planes, lanes, divisor, in[3], out[3];
  const Window* along[3];
  const Reach* reach[3];
  const double* samples = nullptr;
  int64_t dims = 0, kernel[3] = {};
};

// For each element of a dimension the windows around it.
std::vector<Reach> reaches(const std::vector<Window>& along, int64_t size) {
  std::vector<Reach> all(static_cast<size_t>(size));
  for (size_t w = 0; w < along.size(); ++w) {
    for (int64_t i = along[w].begin; i < along[w].end; ++i) {
      Reach& r = all[static_cast<size_t>(i)];
      if (r.last == 0) r.first = static_cast<int64_t>(w);
      r.last = static_cast<int64_t>(w) + 1;
    }
  }
  return all;
}

// The windows of a pooling where kernels find them; those around each element, too, if they are asked for.
class WindowTable {
 public:
  WindowTable(const PoolWindows& w, bool with_reaches)
      : windows_(w), with_reaches_(with_reaches), table_(key(), [this] { return contents(); }) {}

  void put_into(PoolTask& task) const {
    size_t at = 0;
    for (size_t d = 0; d < 3; ++d) {
      task.in[d] = windows_.in[d];
      task.out[d] = windows_.outs[d];
      task.along[d] = table_.at<Window>(at);
      at += windows_.along[d].size() * sizeof(Window);
      task.reach[d] = with_reaches_ ? table_.at<Reach>(at) : nullptr;
      if (with_reaches_) at += static_cast<size_t>(windows_.in[d]) * sizeof(Reach);
    }
  }

 private:
  std::string key() const {
    std::string text = with_reaches_ ? "pool with reaches" : "pool";
    for (size_t d = 0; d < 3; ++d) {
      const std::vector<Window>& along = windows_.along[d];
      text += key_of(windows_.in[d]) + key_of(along.size());
      text.append(reinterpret_cast<const char*>(along.data()), along.size() * sizeof(Window));
    }
    return text;
  }
  std::vector<char> contents() const {
    TableBytes bytes;
    for (size_t d = 0; d < 3; ++d) {
      bytes.add(windows_.along[d]);
      if (with_reaches_) bytes.add(reaches(windows_.along[d], windows_.in[d]));
    }
    return bytes.take();
  }

  const PoolWindows& windows_;
  const bool with_reaches_;
  const Table table_;
};

void run(const char* entry, DType dtype, int64_t work, const PoolTask& task) {
  if (work == 0) return;
  KernelText("pool.cuh", entry)
      .element(dtype)
      .index(work)
      .real("kLowest", dtype == DType::Int64 ? "-9223372036854775808.0" : "-Format<double>::infinity")
      .run({blocks_for_loop(work)}, kThreads, task);
}

void max(const MaxPooling& p) {
  if (p.windows.out_size() == 0) return;
  PoolTask task{p.x, p.y, p.index, p.planes.count, p.planes.lanes, 0, {}, {}, {}, {}};
  const WindowTable table(p.windows, false);
  table.put_into(task);
  run("maximum", p.dtype, p.planes.count * p.windows.out_size() * p.planes.lanes, task);
}

void average(const AveragePooling& p) {
  if (p.windows.out_size() == 0) return;
  PoolTask task{p.from, p.to, nullptr, p.planes.count, p.planes.lanes, p.divisor, {}, {}, {}, {}};
  const WindowTable table(p.windows, false);
  table.put_into(task);
  run("average", p.dtype, p.planes.count * p.windows.out_size() * p.planes.lanes, task);
}

void average_gradient(const AveragePooling& p) {
  PoolTask task{p.from, p.to, nullptr, p.planes.count, p.planes.lanes, p.divisor, {}, {}, {}, {}};
  const WindowTable table(p.windows, true);
  table.put_into(task);
  run("average_gradient", p.dtype, p.planes.count * p.windows.in_size() * p.planes.lanes, task);
}

void fractional_max(const FractionalPooling& p) {
  PoolTask task{p.x, p.y, p.index, p.planes, 1, 0, {}, {}, {}, {}, p.samples, p.dims};
  for (size_t d = 0; d < 3; ++d) {
    task.in[d] = p.in[d];
    task.out[d] = p.out[d];
    task.kernel[d] = p.kernel[d];
  }
  run("fractional_maximum", p.dtype, p.planes * p.out[0] * p.out[1] * p.out[2], task);
}

struct UnpoolTask {
  const int64_t* index;
  const char* x;
  char* y;
  int64_t planes, in, out;
};

void unpool(const Unpooling& u) {
  if (u.planes * u.in == 0) return;
  KernelText("unpool.cuh", "unpool")
      .with("report.cuh")
      .type("S", raw_type(static_cast<size_t>(u.item)))
      .run({blocks_for_loop(u.planes * u.in)}, kThreads, UnpoolTask{u.index, u.x, u.y, u.planes, u.in, u.out});
}

}  // namespace

const PoolKernels pool_kernels{
    .max = {max},
    .average = {average},
    .average_gradient = {average_gradient},
    .fractional_max = {fractional_max},
    .unpool = {unpool},
};

}  // namespace chainrule::cuda
