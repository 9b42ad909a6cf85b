#include "backends/optimise.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct StepTask {
  void* arrays[5];
  int64_t n;
  StepNumbers numbers;
};

void step(const OptimiserStep& s) {
  StepTask task{{}, s.n, s.numbers};
  for (int i = 0; i < 5; ++i) task.arrays[i] = s.arrays[i];
  KernelText("optimise.cuh", "step")
      .element(s.dtype)
      .number("kOptimiser", static_cast<int64_t>(s.optimiser))
      .run({blocks_for_loop(s.n)}, kThreads, task);
}

}  // namespace

const OptimiseKernels optimise_kernels{.step = {step}};

}  // namespace chainrule::cuda
