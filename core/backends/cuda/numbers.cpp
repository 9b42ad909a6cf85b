#include "backends/numbers.hpp"

#include "backends/cpu/kernels.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {

// Numbers are the host's.
const NumbersKernels numbers_kernels = cpu::numbers_kernels;

}  // namespace chainrule::cuda
