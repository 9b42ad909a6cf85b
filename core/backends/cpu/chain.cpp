#include "backends/chain.hpp"

#include "backends/cpu/chain_blocks.hpp"
#include "backends/cpu/chain_loop.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/line_kernels.hpp"
#include "tensor/scalar.hpp"

namespace chainrule::cpu {
namespace {

// A number in the dtype that its reader takes.
char* written(const Scalar& number, DType dtype, std::pmr::memory_resource* memory) {
  auto* bytes = static_cast<char*>(memory->allocate(16, 16));
  store(number, dtype, bytes);
  return bytes;
}

void run(const Chain& chain) {
  alignas(16) std::byte space[4096];
  std::pmr::monotonic_buffer_resource memory(space, sizeof space);
  const Program program(chain);
  const Dims still(static_cast<int>(chain.sizes.size()));
  std::pmr::vector<LoopOperand> operands(&memory);
  operands.reserve(chain.outputs.size() + chain.inputs.size());
  for (size_t i = 0; i < chain.outputs.size(); ++i) {
    const ChainOutput& o = chain.outputs[i];
    operands.push_back({o.data, o.dtype, program.dtype(program.output(i)), o.strides});
  }
  for (size_t i = 0; i < chain.inputs.size(); ++i) {
    const ChainInput& in = chain.inputs[i];
    const DType wanted = program.dtype(static_cast<int>(i));
    if (in.data)
      operands.push_back({const_cast<char*>(in.data), in.dtype, wanted, in.strides});
    else
      operands.push_back({written(in.number, wanted, &memory), wanted, wanted, still});
  }
  const LoopPlan plan(chain.sizes, operands, &memory);
  if (plan.numel > 0) run_loop(chain, program, plan);
}

bool divided_by_zero() {
  if (!integer_division_by_zero.load(std::memory_order_relaxed)) return false;
  integer_division_by_zero.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace

constinit const ChainKernels chain_kernels{{run}, {run_on_blocks}, divided_by_zero};

}  // namespace chainrule::cpu

namespace chainrule {
namespace {

const LineKernels* collect_line_kernels() {
  static LineKernels all[kOpCount];
  for (int op = 0; op < kOpCount; ++op) {
    for (int type = 0; type < 2; ++type) {  // Compute::F32, Compute::F64
      const cpu::OpKernels& kernels = cpu::all_kernels[op];
      all[op].value[type] = kernels.forward[type];
      for (int k = 0; k < kMaxInputs; ++k) all[op].gradient[k][type] = kernels.gradient[k][type];
    }
  }
  return all;
}

}  // namespace

const LineKernels* const line_kernels = collect_line_kernels();

}  // namespace chainrule
