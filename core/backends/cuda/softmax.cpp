#include "backends/softmax.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct SoftmaxTask {
  const void *x, *g;
  void* to;
  int64_t rows, n, inner;
  bool logarithm;
};

void run(const char* entry, DType dtype, const SoftmaxTask& task) {
  const int64_t group = task.inner > 1 || task.n < 8 ? 1 : task.n <= 1024 ? 32 : 256;
  KernelText("softmax.cuh", entry)
      .element(dtype)
      .number("kGroup", group)
      .run({divide_up(task.rows * group, kThreads)}, kThreads, task);
}

void value(const Softmax& s) {
  run("value", s.dtype, {s.x, nullptr, s.y, s.outer * s.inner, s.n, s.inner, s.logarithm});
}
void gradient(const SoftmaxGradient& s) {
  run("gradient", s.dtype, {s.y, s.g, s.gradient, s.outer * s.inner, s.n, s.inner, s.logarithm});
}

}  // namespace

const SoftmaxKernels softmax_kernels{.value = {value}, .gradient = {gradient}};

}  // namespace chainrule::cuda
