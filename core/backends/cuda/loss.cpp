#include "backends/loss.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct LossTask {
  const int64_t* target;
  const void *weight, *x, *g, *log_totals;
  void *out, *kept;
  double* sums;
  int64_t samples, classes, positions, ignored, reduction;
};

LossTask task_of(const ClassTargets& t, const void* x, const void* g, void* out) {
  return {t.target, t.weight,  x,         g,           nullptr,   out,        nullptr,
          nullptr,  t.samples, t.classes, t.positions, t.ignored, t.reduction};
}

void run(const char* entry, const ClassTargets& t, int64_t blocks, const LossTask& task) {
  KernelText("loss.cuh", entry).with("report.cuh").element(t.dtype).run({blocks}, kThreads, task);
}

void nll(const NllLoss& l) { run("nll", l.targets, 1, task_of(l.targets, l.x, nullptr, l.out)); }

void zero(void* to, int64_t elements, DType dtype) {
  const auto bytes = static_cast<size_t>(elements) * size_of(dtype);
  if (bytes) CUDA_CALL(set_bytes, address(to), 0, bytes, current_stream());
}

// The sum of the weights, where the mean divides by it.
void add_weights(const ClassTargets& t, LossTask& task, const Scratch& room) {
  task.sums = reinterpret_cast<double*>(room.data());
  if (t.reduction == kMean) run("weights", t, 1, task);
}

void nll_gradient(const NllGradient& l) {
  const ClassTargets& t = l.targets;
  zero(l.out, t.samples * t.classes * t.positions, t.dtype);
  if (t.count() == 0) return;
  LossTask task = task_of(t, nullptr, l.g, l.out);
  const Scratch sums(16);
  add_weights(t, task, sums);
  run("nll_gradient", t, blocks_for(t.count()), task);
}

void cross_entropy(const CrossEntropy& c) {
  LossTask task = task_of(c.targets, c.x, nullptr, c.out);
  task.kept = c.log_totals;
  if (c.targets.samples > 0) run("row_totals", c.targets, c.targets.samples, task);
  if (c.targets.reduction != kNone) run("row_losses", c.targets, 1, task);
}

void cross_entropy_gradient(const CrossEntropyGradient& c) {
  if (c.targets.samples == 0) return;
  LossTask task = task_of(c.targets, c.x, c.g, c.out);
  task.log_totals = c.log_totals;
  const Scratch sums(16);
  add_weights(c.targets, task, sums);
  run("row_gradients", c.targets, c.targets.samples, task);
}

}  // namespace

const LossKernels loss_kernels{
    .nll = {nll},
    .nll_gradient = {nll_gradient},
    .cross_entropy = {cross_entropy},
    .cross_entropy_gradient = {cross_entropy_gradient},
};

}  // namespace chainrule::cuda
