#include "backends/glu.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct GluTask {
  const void *g, *x;
  void* to;
  int64_t blocks, half;
};

void run(const char* entry, DType dtype, const GluTask& task) {
  const int64_t work = task.blocks * task.half;
  if (work == 0) return;
  KernelText("glu.cuh", entry).type("T", storage_type(dtype)).index(work).run({blocks_for_loop(work)}, kThreads, task);
}

void value(const Glu& u) { run("value", u.dtype, {nullptr, u.x, u.y, u.blocks, u.half}); }
void gradient(const GluGradient& u) { run("gradient", u.dtype, {u.g, u.x, u.gradient, u.blocks, u.half}); }

}  // namespace

const GluKernels glu_kernels{.value = {value}, .gradient = {gradient}};

}  // namespace chainrule::cuda
