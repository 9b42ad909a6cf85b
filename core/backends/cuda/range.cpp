#include "backends/range.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

template <class T>
struct RangeTask {
  char* to;
  int64_t count;
  T first, second;
};

template <class T>
void run(const char* entry, DType dtype, const RangeTask<T>& task) {
  if (task.count == 0) return;
  KernelText("range.cuh", entry).element(dtype).run({blocks_for_loop(task.count)}, kThreads, task);
}

void run_floating(const char* entry, DType dtype, char* to, int64_t count, double first, double second) {
  if (dtype == DType::Float64) return run<double>(entry, dtype, {to, count, first, second});
  run<float>(entry, dtype, {to, count, static_cast<float>(first), static_cast<float>(second)});
}

void arange(const Range& r) {
  if (r.dtype == DType::Int64) return run<int64_t>("arange", r.dtype, {r.to, r.count, r.start.integer, r.step.integer});
  run_floating("arange", r.dtype, r.to, r.count, r.start.real, r.step.real);
}

void linspace(const EqualSteps& s) { run_floating("linspace", s.dtype, s.to, s.count, s.first, s.last); }

}  // namespace

const RangeKernels range_kernels{.arange = {arange}, .linspace = {linspace}};

}  // namespace chainrule::cuda
