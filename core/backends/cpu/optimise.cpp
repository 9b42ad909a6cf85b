// Steps of optimisers over whole arrays, shared among threads.
#include "backends/cpu/optimise.hpp"

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

void step(const OptimiserStep& s) {
  constexpr int64_t kGrain = 32 * 1024;
  const StepKernel kernel = CR_DISPATCH(optimiser_table)[static_cast<int>(s.optimiser)][s.dtype == DType::Float64];
  const auto item = static_cast<int64_t>(size_of(s.dtype));
  parallel_for(s.n, kGrain, [&](int64_t begin, int64_t end) {
    void* shifted[5];
    for (int i = 0; i < 5; ++i) shifted[i] = s.arrays[i] ? static_cast<char*>(s.arrays[i]) + begin * item : nullptr;
    kernel(shifted, end - begin, s.numbers);
  });
}

}  // namespace

constinit const OptimiseKernels optimise_kernels{{step}};

}  // namespace chainrule::cpu
