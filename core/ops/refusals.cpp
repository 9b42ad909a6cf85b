// What PyTorch refuses although the line's domain takes the dtype, in PyTorch's words.
#include "ops/refusals.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/error.hpp"

namespace chainrule {
namespace {

bool is_bool(const Operand& o) { return o.tensor ? o.tensor->dtype == DType::Bool : o.scalar.kind == Scalar::kBool; }

void refuse_bool_subtraction(std::span<const Operand> in) {
  if (is_bool(in[0]) && is_bool(in[1])) {
    raise(PyExc_RuntimeError,
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  }
  if (is_bool(in[0]) || is_bool(in[1])) {
    raise(PyExc_RuntimeError,
          "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
          "invert a mask, use the `~` or `logical_not()` operator instead.");
  }
}

void refuse_power(const Operand& exponent, DType common) {
  if (common == DType::Bool && exponent.tensor) raise(PyExc_NotImplementedError, "\"pow\" not implemented for 'Bool'");
  bool negative = !exponent.tensor && exponent.scalar.real < 0;
  if (negative && !is_differentiable(common)) {
    raise(PyExc_RuntimeError, "Integers to negative integer powers are not allowed.");
  }
}

void refuse_integer_quotient(std::span<const Operand> in) {
  for (const Operand& o : in.subspan(1)) {
    if (!o.tensor || is_differentiable(o.tensor->dtype)) return;
  }
  raise(PyExc_RuntimeError,
        "Integer division with addcdiv is no longer supported, and in a future release addcdiv will "
        "perform a true division of tensor1 and tensor2. Convert one of them to a floating point dtype first.");
}

// All tensors with dimensions have the first one's dtype, and are no integers.
void refuse_mixed_lerp(const OpRecord& op, std::span<const Operand> in) {
  DType first = in[0].tensor->dtype;
  for (size_t i = 1; i < in.size(); ++i) {
    if (!in[i].tensor || in[i].tensor->dtype == first || (i == 2 && !in[i].tensor->ndim)) continue;
    raise(PyExc_RuntimeError, "expected dtype ", facts(first).cpp_name, " for `", op.input_names[i], "` but got dtype ",
          facts(in[i].tensor->dtype).cpp_name);
  }
  if (!is_differentiable(first))
    raise(PyExc_NotImplementedError, "\"lerp_cpu\" not implemented for '", facts(first).tensor_name, "'");
}

void refuse_heaviside(std::span<const Operand> in, DType common) {
  if (is_complex(common)) raise(PyExc_RuntimeError, "heaviside is not yet implemented for complex tensors.");
  if (in[0].tensor->dtype != in[1].tensor->dtype) {
    raise(PyExc_RuntimeError, "heaviside is not yet implemented for tensors with different dtypes.");
  }
}

struct Limits {
  double low, high;
  const char* name;
};
Limits limits_of(DType t) {
  switch (t) {
    case DType::UInt8:
      return {0, 255, "uint8_t"};
    case DType::Int8:
      return {-128, 127, "int8_t"};
    case DType::Int16:
      return {-32768, 32767, "int16_t"};
    case DType::Int32:
      return {-2147483648.0, 2147483647.0, "int32_t"};
    default:
      return {-HUGE_VAL, HUGE_VAL, "int64_t"};
  }
}
void refuse_overflow(double value, DType t) {
  Limits limits = limits_of(t);
  if (value < limits.low || value > limits.high) {
    raise(PyExc_RuntimeError, "value cannot be converted to type ", limits.name, " without overflow");
  }
}

// A bound of clamp may be negative where the dtype has no sign: it wraps around.
void refuse_wide_bounds(std::span<const Operand> in, DType common) {
  if (!is_integral(common)) return;
  for (const Operand& bound : in.subspan(1)) {
    double value = bound.scalar.real;
    if (!bound.tensor) refuse_overflow(common == DType::UInt8 ? std::abs(value) : value, common);
  }
}

// Bounds that are numbers have no kernel for bool; two tensors may be compared.
void refuse_bool_bounds(const OpRecord& op, std::span<const Operand> in, DType common) {
  if (common == DType::Bool && !in[1].tensor) {
    raise(PyExc_NotImplementedError, "\"", op.name, "_scalar_cpu\" not implemented for 'Bool'");
  }
}

void refuse_hardtanh(const double* parameters, DType common) {
  if (common == DType::Bool) raise(PyExc_RuntimeError, "Bool inputs not supported for hardtanh");
  if (common == DType::UInt8 && (parameters[0] <= -1 || parameters[1] <= -1)) {
    raise(PyExc_RuntimeError, "cannot do hardtanh on an unsigned type with negative limits");
  }
}

// Ops of one tensor that keep its dtype want it for out= as well.
bool converts_out(const OpRecord& op, std::span<const Operand> in) {
  if (op.is_test || promotes(op.domain) || op.id == OpId::square || op.id == OpId::threshold) return true;
  if (op.id == OpId::lerp) return !in[2].tensor;
  bool several = std::count_if(in.begin(), in.end(), [](const Operand& o) { return o.tensor; }) > 1;
  return several || (op.input_count == 2 && op.id != OpId::clamp_min && op.id != OpId::clamp_max);
}

}  // namespace

void refuse_operands(const OpRecord& op, std::span<const Operand> in, const double* parameters, DType common) {
  switch (op.id) {
    case OpId::sub:
    case OpId::sub_scaled:
    case OpId::rsub:
      return refuse_bool_subtraction(in);
    case OpId::neg:
      if (common != DType::Bool) return;
      raise(PyExc_RuntimeError,
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
            "a mask, use the `~` or `logical_not()` operator instead.");
    case OpId::sign:
      if (!is_complex(common)) return;
      raise(PyExc_NotImplementedError,
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead.");
    case OpId::relu:
      if (common == DType::Bool) raise(PyExc_RuntimeError, "Boolean inputs not supported for relu");
      return;
    case OpId::pow:
      return refuse_power(in[1], common);
    case OpId::addcdiv:
      return refuse_integer_quotient(in);
    case OpId::lerp:
      return refuse_mixed_lerp(op, in);
    case OpId::heaviside:
      return refuse_heaviside(in, common);
    case OpId::clamp:
      return refuse_wide_bounds(in, common);
    case OpId::clamp_min:
    case OpId::clamp_max:
      refuse_bool_bounds(op, in, common);
      return refuse_wide_bounds(in, common);
    case OpId::hardtanh:
      return refuse_hardtanh(parameters, common);
    case OpId::threshold:
      if (is_integral(common)) refuse_overflow(parameters[0], common), refuse_overflow(parameters[1], common);
      return;
    default:
      return;
  }
}

void refuse_parameters(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  if (op.id == OpId::celu && parameters[0] == 0)
    raise(PyExc_RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU");
  if (op.id != OpId::softshrink || !is_floating(in[0].tensor->dtype)) return;
  DType t = in[0].tensor->dtype;
  if (!(parameters[0] >= 0 && parameters[0] <= largest(t))) {
    raise(PyExc_RuntimeError, "lambda must be in range [0, ", largest(t), "] for input dtype ", facts(t).tensor_name,
          ", but found ", parameters[0]);
  }
}

void refuse_out(const OpRecord& op, std::span<const Operand> in, DType result, DType out) {
  if (op.id == OpId::isposinf || op.id == OpId::isneginf || op.id == OpId::signbit) {
    if (out != DType::Bool) raise(PyExc_RuntimeError, op.name, " does not support non-boolean outputs.");
  }
  if (op.id == OpId::heaviside && out != result) {
    raise(PyExc_RuntimeError, "heaviside is not yet implemented for tensors with different dtypes.");
  }
  if (op.id == OpId::where && out != result) {
    raise(PyExc_RuntimeError, "Expected out type to be ", facts(result).tensor_name, " but got ",
          facts(out).tensor_name);
  }
  if (out != result && !converts_out(op, in)) {
    raise(PyExc_RuntimeError, "Found dtype ", facts(out).tensor_name, " but expected ", facts(result).tensor_name);
  }
  if (!can_cast(result, out)) {
    raise(PyExc_RuntimeError, "result type ", facts(result).tensor_name, " can't be cast to the desired output type ",
          facts(out).tensor_name);
  }
}

}  // namespace chainrule
