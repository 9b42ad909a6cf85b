// What PyTorch refuses although the line's domain takes the dtype, in PyTorch's words.
#include "ops/elementwise/refusals.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/create/create.hpp"
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
  if (!is_differentiable(first)) {
    raise(PyExc_NotImplementedError, "\"lerp_kernel_", in[2].tensor ? "tensor" : "scalar", "\" not implemented for '",
          facts(first).tensor_name, "'");
  }
  if (!in[2].tensor) check_fits(in[2].scalar, size_of(first) == 2 ? DType::Float32 : first);
}

void refuse_heaviside(std::span<const Operand> in, DType common) {
  if (holds_complex(common)) raise(PyExc_RuntimeError, "heaviside is not yet implemented for complex tensors.");
  if (in[0].tensor->dtype != in[1].tensor->dtype) {
    raise(PyExc_RuntimeError, "heaviside is not yet implemented for tensors with different dtypes.");
  }
}

void refuse_wide_numbers(std::span<const Operand> in, DType common) {
  for (const Operand& o : in) {
    if (!o.tensor) check_fits(o.scalar, common);
  }
}
// Parameters are kept as floating point; a whole one acts as an integer.
void refuse_wide_parameters(const double* parameters, int count, DType common) {
  for (double p : std::span(parameters, static_cast<size_t>(count))) {
    bool is_whole = p == std::trunc(p) && std::fabs(p) < 0x1p62;
    check_fits(is_whole ? Scalar::of_int(static_cast<int64_t>(p)) : Scalar(p), common);
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

bool takes_limited(const OpRecord& op, DType t) {
  if (t == DType::Complex32) return op.attributes.is_halves;
  if (op.id == OpId::isinf || op.id == OpId::isfinite)
    return t == DType::Float8E5M2 || is_limited(t) || (t == DType::Float8E8M0FNU && op.id == OpId::isfinite);
  if (is_float8(t)) return op.attributes.is_stored && !(t == DType::Float8E8M0FNU && op.id == OpId::abs);
  return promotes(op.domain) || op.attributes.is_limited;
}

std::string kernel_name(const OpRecord& op) {
  if (op.attributes.kernel_name) return op.attributes.kernel_name;
  std::string_view name = op.name;
  if (name.starts_with("special_")) name.remove_prefix(8);
  return std::string(name) + "_cpu";
}

// Where PyTorch has words of its own for it.
void refuse_complex(const OpRecord& op, std::span<const Operand> in) {
  switch (op.id) {
    case OpId::floor:
    case OpId::ceil:
    case OpId::trunc:
      raise(PyExc_NotImplementedError, op.name, " is not supported for complex inputs");
    case OpId::relu:
    case OpId::hardtanh:
    case OpId::clamp:
    case OpId::clamp_min:
    case OpId::clamp_max: {
      bool has_tensor = std::any_of(in.begin() + 1, in.end(), [](const Operand& bound) { return bound.tensor; });
      if (has_tensor && !(op.id == OpId::clamp && is_complex(in[0].tensor->dtype))) return;
      raise(PyExc_NotImplementedError, "clamp is not supported for complex types");
    }
    case OpId::signbit:
      raise(PyExc_NotImplementedError, "signbit is not implemented for complex tensors.");
    case OpId::isposinf:
    case OpId::isneginf:
      raise(PyExc_RuntimeError, op.name, " does not support complex inputs.");
    case OpId::deg2rad:
    case OpId::rad2deg:
      raise(PyExc_RuntimeError, op.name, " is not supported for complex tensors.");
    case OpId::minimum:
    case OpId::maximum:
    case OpId::fmin:
    case OpId::fmax:
      raise(PyExc_RuntimeError, op.name, " not implemented for complex tensors.");
    default:
      return;
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
  if (holds_complex(common)) refuse_complex(op, in);
  switch (op.id) {
    case OpId::sub_scaled:
    case OpId::sub:
    case OpId::rsub:
      return refuse_bool_subtraction(in);
    case OpId::neg:
      if (common != DType::Bool) return;
      raise(PyExc_RuntimeError,
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
            "a mask, use the `~` or `logical_not()` operator instead.");
    case OpId::sign:
      if (!holds_complex(common)) return;
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
    case OpId::hardtanh:
      return refuse_hardtanh(parameters, common);
    default:
      return;
  }
}

void refuse_dtype(const OpRecord& op, std::span<const Operand> in, const double* parameters, DType common) {
  if (is_float8(common) && op.id == OpId::mul &&
      std::any_of(in.begin(), in.end(), [](const Operand& o) { return !o.tensor; }))
    refuse_limited("mul_cpu_reduced_float", common);
  if (is_float8(common) && op.id == OpId::clamp && !in[1].tensor) refuse_limited("clamp_scalar_cpu", common);
  if ((is_limited(common) || is_stored_only(common)) && !takes_limited(op, common))
    refuse_limited(kernel_name(op).c_str(), common);
  switch (op.id) {
    case OpId::pow:
      if (is_bool(common) && in[1].tensor) raise_unsupported(op, common);
      if (size_of(common) == 2 || is_integral(common)) refuse_wide_numbers(in.subspan(1), common);
      return;
    case OpId::where:
      if (is_integral(common)) refuse_wide_numbers(in.subspan(1), common);
      return;
    case OpId::clamp_min:
    case OpId::clamp_max:
      refuse_bool_bounds(op, in, common);
      return refuse_wide_numbers(in.subspan(1), common);
    case OpId::clamp:
      return refuse_wide_numbers(in.subspan(1), common);
    case OpId::add_scaled:
    case OpId::sub_scaled:
    case OpId::rsub:
      return refuse_wide_parameters(parameters, op.parameter_count, common);
    case OpId::hardtanh: {
      bool whole = is_integral(common);
      double limits[] = {whole ? std::trunc(parameters[0]) : parameters[0],
                         whole ? std::trunc(parameters[1]) : parameters[1]};
      return refuse_wide_parameters(limits, 2, common);
    }
    case OpId::addcmul:
      if (is_integral(common)) refuse_wide_parameters(parameters, op.parameter_count, common);
      return;
    case OpId::threshold:
      for (int i = 0; i < 2; ++i) check_fits(parameters[i], common);
      return;
    default:
      return;
  }
}

void raise_unsupported(const OpRecord& op, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel_name(op), "\" not implemented for '", facts(t).tensor_name, "'");
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

void check_cast(DType result, DType to) {
  if (can_cast(result, to)) return;
  raise(PyExc_RuntimeError, "result type ", facts(result).tensor_name, " can't be cast to the desired output type ",
        facts(to).tensor_name);
}

void refuse_out(const OpRecord& op, std::span<const Operand> in, DType result, DType out) {
  if (op.id == OpId::isposinf || op.id == OpId::isneginf || op.id == OpId::signbit) {
    if (out != DType::Bool) raise(PyExc_RuntimeError, op.name, " does not support non-boolean outputs.");
  }
  if (op.id == OpId::heaviside && is_complex(out)) {
    raise(PyExc_RuntimeError, "heaviside is not yet implemented for complex tensors.");
  }
  if (op.id == OpId::heaviside && out != result) {
    raise(PyExc_RuntimeError, "heaviside is not yet implemented for tensors with different dtypes.");
  }
  if (op.id == OpId::where && out != result) {
    raise(PyExc_RuntimeError, "Expected out type to be ", facts(result).tensor_name, " but got ",
          facts(out).tensor_name);
  }
  if (op.id == OpId::nan_to_num && out != result) {
    raise(PyExc_RuntimeError, "nan_to_num: dtype of out: ", facts(out).tensor_name,
          " should be same as input: ", facts(result).tensor_name);
  }
  if (out != result && !converts_out(op, in)) {
    raise(PyExc_RuntimeError, "Found dtype ", facts(out).tensor_name, " but expected ", facts(result).tensor_name);
  }
  check_cast(result, out);
}

}  // namespace chainrule
