// Kernels for operands that are narrower than what is calculated in: truth values, short integers, halves.
#pragma once
#include "backends/cpu/half_sign.hpp"
#include "backends/cpu/half_step.hpp"
#include "backends/cpu/truth.hpp"
#include "ops/sweep.hpp"

namespace chainrule {

// The kernel of an op that does not calculate with halves as floats; null for all others. A quotient by one number
// does.
inline ElementwiseKernel half_kernel(const OpRecord& op, std::span<const Operand> in, DType common) {
  if (!is_floating(common) || size_of(common) != 2) return nullptr;
  if (op.id == OpId::nextafter) return cpu::half_kernels(common).nextafter;
  if (!in.back().tensor || in.back().tensor->numel == 1) return nullptr;
  if (op.id == OpId::div_trunc) return cpu::half_kernels(common).div_trunc;
  bool floors = op.id == OpId::div_floor || op.id == OpId::floor_divide;
  return floors ? cpu::half_kernels(common).div_floor : nullptr;
}

// The kernel of an op on bytes, where all operands are truth values; null if it is calculated as all integers are.
inline ElementwiseKernel truth_kernel(OpId id) {
  switch (id) {
    case OpId::bitwise_and:
    case OpId::logical_and:
    case OpId::mul:
    case OpId::minimum:
      return cpu::truth_kernel<cpu::both>;
    case OpId::bitwise_or:
    case OpId::logical_or:
    case OpId::add:
    case OpId::maximum:
      return cpu::truth_kernel<cpu::either>;
    case OpId::bitwise_xor:
    case OpId::logical_xor:
    case OpId::ne:
      return cpu::truth_kernel<cpu::differ>;
    case OpId::eq:
      return cpu::truth_kernel<cpu::agree>;
    case OpId::lt:
      return cpu::truth_kernel<cpu::less>;
    case OpId::le:
      return cpu::truth_kernel<cpu::at_most>;
    case OpId::gt:
      return cpu::truth_kernel<cpu::greater>;
    case OpId::ge:
      return cpu::truth_kernel<cpu::at_least>;
    case OpId::bitwise_not:
    case OpId::logical_not:
      return cpu::truth_negation;
    default:
      return nullptr;
  }
}

// The kernel of an op on narrow integers as they lie in memory; null if it is calculated in int64.
inline ElementwiseKernel narrow_kernel(const OpRecord& op, std::span<const Operand> in, DType common) {
  for (const Operand& o : in) {
    if (!o.tensor && o.scalar.kind > Scalar::kInt) return nullptr;  // int64 cuts off its fraction
  }
  const auto& kernels = kernels_of(op).narrow;
  switch (common) {
    case DType::UInt8:
      return kernels[static_cast<int>(cpu::Narrow::U8)];
    case DType::Int8:
      return kernels[static_cast<int>(cpu::Narrow::I8)];
    case DType::Int16:
      return kernels[static_cast<int>(cpu::Narrow::I16)];
    case DType::Int32:
      return kernels[static_cast<int>(cpu::Narrow::I32)];
    default:
      return nullptr;
  }
}

// The kernel of an op on its operands as they lie in memory, where they are narrower than what is calculated in.
inline ElementwiseKernel short_kernel(const OpRecord& op, std::span<const Operand> in, DType common) {
  if (is_bool(common)) return truth_kernel(op.id);
  if (is_integral(common)) return narrow_kernel(op, in, common);
  if (!is_floating(common) || size_of(common) != 2) return nullptr;
  return op.id == OpId::neg ? cpu::half_negation : op.id == OpId::abs ? cpu::half_size : nullptr;
}

}  // namespace chainrule
