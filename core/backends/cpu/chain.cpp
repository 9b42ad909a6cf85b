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

LoopPlan plan_of(const Chain& chain, const Program& program, std::pmr::memory_resource* memory) {
  const Dims still(static_cast<int>(chain.sizes.size()));
  std::pmr::vector<LoopOperand> operands(memory);
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
      operands.push_back({written(in.number, wanted, memory), wanted, wanted, still});
  }
  return LoopPlan(chain.sizes, operands, memory);
}

void run(const Chain& chain) {
  alignas(16) std::byte space[6 * 1024];
  std::pmr::monotonic_buffer_resource memory(space, sizeof space);
  const Program program(chain, &memory);
  const LoopPlan plan = plan_of(chain, program, &memory);
  if (plan.numel > 0) run_loop(chain, program, plan);
}

class Planned final : public PlannedChain {
 public:
  explicit Planned(const Chain& chain)
      : chain_(chain), program_(chain, &memory_), plan_(plan_of(chain, program_, &memory_)) {}
  void run() const override {
    if (plan_.numel > 0) run_loop(chain_, program_, plan_);
  }

 private:
  std::pmr::monotonic_buffer_resource memory_{512};
  const Chain& chain_;
  const Program program_;
  const LoopPlan plan_;
};

std::unique_ptr<PlannedChain> plan(const Chain& chain) { return std::make_unique<Planned>(chain); }

bool divided_by_zero() {
  if (!integer_division_by_zero.load(std::memory_order_relaxed)) return false;
  integer_division_by_zero.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace

constinit const ChainKernels chain_kernels{{run}, {run_on_blocks}, divided_by_zero, plan};

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
