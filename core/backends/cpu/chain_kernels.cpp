#include "backends/cpu/chain_kernels.hpp"

#include "backends/cpu/half_arithmetic.hpp"
#include "backends/cpu/half_sign.hpp"
#include "backends/cpu/truth.hpp"

namespace chainrule::cpu {
namespace {

Compute compute_of(DType t) {
  switch (t) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float8E5M2:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E8M0FNU:
      return Compute::F32;
    case DType::Float64:
      return Compute::F64;
    case DType::Complex32:
    case DType::Complex64:
      return Compute::C64;
    case DType::Complex128:
      return Compute::C128;
    default:
      return Compute::I64;
  }
}
constexpr DType kComputeDType[] = {DType::Float32, DType::Float64, DType::Int64, DType::Complex64, DType::Complex128};

const ChainInput* last_input(const Chain& chain) { return chain.inputs.empty() ? nullptr : &chain.inputs.back(); }

// The kernel of an op that does not calculate with halves as floats; null for all others. A quotient by one number
// does.
ElementwiseKernel half_kernel(const Chain& chain, OpId id) {
  const HalfKernels& kernels = half_kernels(chain.dtype);
  if (id == OpId::nextafter) return kernels.nextafter;
  const ChainInput* divisor = last_input(chain);
  if (!divisor || !divisor->data || divisor->is_single) return nullptr;
  if (id == OpId::div_trunc) return kernels.div_trunc;
  return id == OpId::div_floor || id == OpId::floor_divide ? kernels.div_floor : nullptr;
}

// The kernels on bytes, where all operands are truth values, in the order of Truth; null: calculated as all integers
// are.
constexpr ElementwiseKernel kTruthKernels[] = {
    nullptr,
    truth_kernel<both>,
    truth_kernel<either>,
    truth_kernel<differ>,
    truth_kernel<agree>,
    truth_kernel<less>,
    truth_kernel<at_most>,
    truth_kernel<greater>,
    truth_kernel<at_least>,
    truth_negation,
};

// The kernel of an op on narrow integers as they lie in memory; null if it is calculated in int64.
ElementwiseKernel narrow_kernel(const Chain& chain, OpId id) {
  for (const ChainInput& in : chain.inputs) {
    if (!in.data && in.number.kind > Scalar::kInt) return nullptr;  // int64 cuts off its fraction
  }
  const auto& kernels = kernels_of(id).narrow;
  switch (chain.dtype) {
    case DType::UInt8:
      return kernels[static_cast<int>(Narrow::U8)];
    case DType::Int8:
      return kernels[static_cast<int>(Narrow::I8)];
    case DType::Int16:
      return kernels[static_cast<int>(Narrow::I16)];
    case DType::Int32:
      return kernels[static_cast<int>(Narrow::I32)];
    default:
      return nullptr;
  }
}

// The kernel of an op on its operands as they lie in memory, where they are narrower than what is calculated in.
ElementwiseKernel kernel_in_memory(const Chain& chain, OpId id) {
  if (is_bool(chain.dtype)) return kTruthKernels[kernels_of(id).truth];
  if (is_integral(chain.dtype)) return narrow_kernel(chain, id);
  return id == OpId::neg ? half_negation : id == OpId::abs ? half_size : nullptr;
}

}  // namespace

StepKernel step_kernel(const Chain& chain, const ChainStep& step) {
  const Compute compute = compute_of(chain.dtype);
  const OpKernels& kernels = kernels_of(step.op);
  const DType arithmetic = kComputeDType[static_cast<int>(compute)];
  if (step.gradient != ChainStep::kValue)
    return {kernels.gradient[step.gradient][static_cast<int>(compute)], arithmetic};
  const bool is_half = is_floating(chain.dtype) && size_of(chain.dtype) == 2;
  if (is_half || is_bool(chain.dtype) || is_integral(chain.dtype)) {
    if (ElementwiseKernel kernel = kernel_in_memory(chain, step.op)) return {kernel, chain.dtype};
    if (is_half) {
      if (ElementwiseKernel kernel = half_kernel(chain, step.op)) return {kernel, arithmetic};
    }
  }
  return {kernels.forward[static_cast<int>(compute)], arithmetic};
}

}  // namespace chainrule::cpu
