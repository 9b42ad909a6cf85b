// Reading and writing single elements, and the default floating type.
#include "tensor/scalar.hpp"

#include <cmath>
#include <cstring>

#include "tensor/error.hpp"
#include "tensor/float8.hpp"
#include "tensor/half.hpp"

namespace chainrule {
namespace {

DType default_floating = DType::Float32;

template <class T>
void put(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}
template <class T>
T take(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

int64_t as_integer(const Scalar& s) {
  if (s.kind <= Scalar::kInt) return s.integer;
  // Out of range gives what the hardware's conversion gives, as PyTorch does.
  return s.real >= -9.3e18 && s.real <= 9.2e18 ? static_cast<int64_t>(s.real) : INT64_MIN;
}

uint64_t as_unsigned(const Scalar& s) {
  bool large = s.kind > Scalar::kInt && s.real >= 0x1p63 && s.real < 0x1p64;
  return large ? static_cast<uint64_t>(s.real) : static_cast<uint64_t>(as_integer(s));
}

}  // namespace

DType default_dtype() { return default_floating; }
void set_default_dtype(DType t) { default_floating = t; }
DType default_complex_dtype() {
  check(default_floating != DType::BFloat16, "invalid default scalar type for complex");
  return complex_of(default_floating);
}

bool fits(const Scalar& s, DType dtype) {
  if (holds_complex(dtype) || is_bool(dtype)) return true;
  if (s.kind == Scalar::kComplex && s.imaginary != 0) return false;
  if (is_float8(dtype)) {
    const bool too_small = dtype == DType::Float8E8M0FNU && !(s.real >= 0x1p-127 || s.real == 0);
    return !std::isfinite(s.real) || (std::fabs(s.real) <= largest(dtype) && !too_small);
  }
  if (is_floating(dtype)) {
    constexpr double largest[] = {65504, 3.3895313892515355e38, 3.4028234663852886e38, HUGE_VAL};
    return !std::isfinite(s.real) ||
           std::fabs(s.real) <= largest[static_cast<int>(dtype) - static_cast<int>(DType::Float16)];
  }
  if (dtype == DType::Int64 && s.kind <= Scalar::kInt) return !s.is_above_int64();
  int bits = static_cast<int>(8 * size_of(dtype));
  // A negative integer wraps around into an unsigned type, as in PyTorch, as long as its magnitude fits.
  if (!is_signed(dtype) && s.kind > Scalar::kInt && !(s.real >= 0)) return false;
  if (!is_signed(dtype)) return std::fabs(s.real) <= std::ldexp(1.0, bits) - 1;
  return s.real >= -std::ldexp(1.0, bits - 1) && s.real < std::ldexp(1.0, bits - 1);
}

void store(const Scalar& s, DType dtype, void* to) {
  switch (dtype) {
    case DType::Bool:
      return put<uint8_t>(to, s.real != 0 || s.imaginary != 0);
    case DType::UInt8:
      return put(to, static_cast<uint8_t>(as_integer(s)));
    case DType::UInt16:
      return put(to, static_cast<uint16_t>(as_integer(s)));
    case DType::UInt32:
      return put(to, static_cast<uint32_t>(as_integer(s)));
    case DType::UInt64:
      return put(to, as_unsigned(s));
    case DType::Int8:
      return put(to, static_cast<int8_t>(as_integer(s)));
    case DType::Int16:
      return put(to, static_cast<int16_t>(as_integer(s)));
    case DType::Int32:
      return put(to, static_cast<int32_t>(as_integer(s)));
    case DType::Int64:
      return put(to, as_integer(s));
    case DType::Float16:
      return put(to, Half(static_cast<float>(s.real)));
    case DType::BFloat16:
      return put(to, BFloat16(static_cast<float>(s.real)));
    case DType::Float32:
      return put(to, static_cast<float>(s.real));
    case DType::Float64:
      return put(to, s.real);
    case DType::Complex32: {
      const Half parts[2] = {Half(static_cast<float>(s.real)), Half(static_cast<float>(s.imaginary))};
      std::memcpy(to, parts, sizeof parts);
      return;
    }
    case DType::Float8E5M2:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E8M0FNU:
      return put(to, to_float8(dtype, static_cast<float>(s.real)));
    case DType::Complex64: {
      float parts[2] = {static_cast<float>(s.real), static_cast<float>(s.imaginary)};
      std::memcpy(to, parts, sizeof parts);
      return;
    }
    case DType::Complex128: {
      double parts[2] = {s.real, s.imaginary};
      std::memcpy(to, parts, sizeof parts);
      return;
    }
  }
}

Scalar load(DType dtype, const void* from) {
  auto* bytes = static_cast<const char*>(from);
  switch (dtype) {
    case DType::Bool:
      return Scalar::of_int(take<uint8_t>(from) != 0, Scalar::kBool);
    case DType::UInt8:
      return Scalar::of_int(take<uint8_t>(from));
    case DType::UInt16:
      return Scalar::of_int(take<uint16_t>(from));
    case DType::UInt32:
      return Scalar::of_int(take<uint32_t>(from));
    case DType::UInt64:
      return Scalar::of_unsigned(take<uint64_t>(from));
    case DType::Int8:
      return Scalar::of_int(take<int8_t>(from));
    case DType::Int16:
      return Scalar::of_int(take<int16_t>(from));
    case DType::Int32:
      return Scalar::of_int(take<int32_t>(from));
    case DType::Int64:
      return Scalar::of_int(take<int64_t>(from));
    case DType::Float16:
      return Scalar(static_cast<float>(take<Half>(from)));
    case DType::BFloat16:
      return Scalar(static_cast<float>(take<BFloat16>(from)));
    case DType::Float32:
      return Scalar(take<float>(from));
    case DType::Float64:
      return Scalar(take<double>(from));
    case DType::Complex32:
      return Scalar::of_complex(static_cast<float>(take<Half>(from)), static_cast<float>(take<Half>(bytes + 2)));
    case DType::Float8E5M2:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E8M0FNU:
      return Scalar(from_float8(dtype, take<uint8_t>(from)));
    case DType::Complex64:
      return Scalar::of_complex(take<float>(from), take<float>(bytes + 4));
    default:
      return Scalar::of_complex(take<double>(from), take<double>(bytes + 8));
  }
}

}  // namespace chainrule
