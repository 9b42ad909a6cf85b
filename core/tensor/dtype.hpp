// The element types a tensor can hold, and the facts about each that do not depend on a value.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainrule {

// Order matters: it is the order of promotion within each category (see promote()).
enum class DType : uint8_t {
  Bool,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Complex32,
  Float8E5M2,
  Float8E4M3FN,
  Float8E5M2FNUZ,
  Float8E4M3FNUZ,
  Float8E8M0FNU
};
inline constexpr int kDTypeCount = 21;
inline constexpr int kDTypesWithKernels = 15;  // the first ones; see Note [Limited dtypes]

struct DTypeFacts {
  const char* name;         // as in `chainrule.float32`
  const char* tensor_name;  // as PyTorch's messages spell it: "Float"
  const char* cpp_name;     // as others of its messages do
  uint8_t size;             // bytes per element
};

inline constexpr DTypeFacts kDTypeFacts[kDTypeCount] = {
    {"bool", "Bool", "bool", 1},
    {"uint8", "Byte", "unsigned char", 1},
    {"uint16", "UInt16", "unsigned short", 2},
    {"uint32", "UInt32", "unsigned int", 4},
    {"uint64", "UInt64", "unsigned long", 8},
    {"int8", "Char", "signed char", 1},
    {"int16", "Short", "short", 2},
    {"int32", "Int", "int", 4},
    {"int64", "Long", "long int", 8},
    {"float16", "Half", "c10::Half", 2},
    {"bfloat16", "BFloat16", "c10::BFloat16", 2},
    {"float32", "Float", "float", 4},
    {"float64", "Double", "double", 8},
    {"complex64", "ComplexFloat", "c10::complex<float>", 8},
    {"complex128", "ComplexDouble", "c10::complex<double>", 16},
    {"complex32", "ComplexHalf", "c10::complex<c10::Half>", 4},
    {"float8_e5m2", "Float8_e5m2", "c10::Float8_e5m2", 1},
    {"float8_e4m3fn", "Float8_e4m3fn", "c10::Float8_e4m3fn", 1},
    {"float8_e5m2fnuz", "Float8_e5m2fnuz", "c10::Float8_e5m2fnuz", 1},
    {"float8_e4m3fnuz", "Float8_e4m3fnuz", "c10::Float8_e4m3fnuz", 1},
    {"float8_e8m0fnu", "Float8_e8m0fnu", "c10::Float8_e8m0fnu", 1}};

constexpr const DTypeFacts& facts(DType t) { return kDTypeFacts[static_cast<int>(t)]; }
constexpr size_t size_of(DType t) { return facts(t).size; }
constexpr bool is_complex(DType t) { return t == DType::Complex64 || t == DType::Complex128; }
constexpr bool is_floating(DType t) { return t >= DType::Float16 && t <= DType::Float64; }
constexpr bool is_integral(DType t) { return t >= DType::UInt8 && t <= DType::Int64; }
constexpr bool is_signed(DType t) { return t >= DType::Int8 && t != DType::Float8E8M0FNU; }
constexpr bool is_bool(DType t) { return t == DType::Bool; }
constexpr bool is_differentiable(DType t) { return t >= DType::Float16; }

// Note [Limited dtypes]
// uint16, uint32 and uint64 are there to be stored, moved and converted; PyTorch calculates little with them, and so do
// we. No kernel is made for them: arithmetic reads them as int64, whose bits are right for what is allowed
// (takes_limited in ops/elementwise/refusals.cpp, for lines of the table), extremes are refused, and for sorting an
// order is asked of the signed type of the same size after the first bit is flipped (ops/order/unsigned_order.hpp).
//
// complex32 and the types of eight bits are there to be stored, moved and converted as well. To what asks is_floating()
// or is_complex() they are neither, so that it refuses them; what can take them asks holds_floating() or
// holds_complex(). The few lines of the table that PyTorch has for them say stored() or halves(): they are calculated
// in float and complex64, which is also what every conversion passes through (backends/cpu/convert_stored.cpp).
constexpr bool is_limited(DType t) { return t >= DType::UInt16 && t <= DType::UInt64; }
constexpr bool is_stored_only(DType t) { return t >= DType::Complex32; }
constexpr bool is_float8(DType t) { return t > DType::Complex32; }
constexpr bool holds_floating(DType t) { return is_floating(t) || is_float8(t); }
constexpr bool holds_complex(DType t) { return is_complex(t) || t == DType::Complex32; }
[[noreturn]] void refuse_limited(const char* kernel, DType t);

// The real type of a complex one's parts; a real type is its own.
constexpr DType real_of(DType t) {
  switch (t) {
    case DType::Complex32:
      return DType::Float16;
    case DType::Complex64:
      return DType::Float32;
    default:
      return t == DType::Complex128 ? DType::Float64 : t;
  }
}

// The complex type whose parts have this floating type; bfloat16 has none of its own.
constexpr DType complex_of(DType t) {
  return t == DType::Float64 ? DType::Complex128 : t == DType::Float16 ? DType::Complex32 : DType::Complex64;
}

// The largest finite number; of a complex type, of its parts.
double largest(DType t);
// The smallest dtype that holds both, as PyTorch promotes two tensors of equal standing.
DType promote(DType a, DType b);
// Whether a result of type `from` may be written into a tensor of type `to` (no loss of category).
bool can_cast(DType from, DType to);

}  // namespace chainrule
