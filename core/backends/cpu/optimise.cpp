// Steps of optimisers over whole arrays, shared among threads.
#include "backends/cpu/optimise.hpp"

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {

void optimiser_step(Optimiser optimiser, DType dtype, void* const* arrays, int count, int64_t n,
                    const StepNumbers& numbers) {
  constexpr int64_t kGrain = 32 * 1024;
  const StepKernel kernel = CR_DISPATCH(optimiser_table)[static_cast<int>(optimiser)][dtype == DType::Float64];
  const auto item = static_cast<int64_t>(size_of(dtype));
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    void* shifted[5] = {};
    for (int i = 0; i < count; ++i) shifted[i] = arrays[i] ? static_cast<char*>(arrays[i]) + begin * item : nullptr;
    kernel(shifted, end - begin, numbers);
  });
}

}  // namespace chainrule::cpu
