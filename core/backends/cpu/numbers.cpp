#include "backends/numbers.hpp"

#include "backends/cpu/elementwise.hpp"
#include "backends/cpu/kernels.hpp"

namespace chainrule::cpu {
namespace {

void run(const NumberOp& n) {
  const auto& kernel = CR_DISPATCH(elementwise_kernels)[n.op];
  kernel.forward[static_cast<int>(Compute::F64)](n.out, n.in, 1, n.parameters);
}

}  // namespace

constinit const NumbersKernels numbers_kernels{{run}};

}  // namespace chainrule::cpu
