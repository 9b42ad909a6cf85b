// The floating types of eight bits: codes from and to float, as PyTorch rounds.
#pragma once
#include <bit>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule {

// fn: the top exponent has numbers, too, and no infinity; uz: one zero, whose negative stands for NaN.
struct Float8Format {
  int mantissa, bias;
  uint8_t top;       // the code of the largest number
  uint8_t overflow;  // what larger ones become
  uint8_t nan;
  bool one_zero;
};
constexpr Float8Format format_of(DType t) {
  switch (t) {
    case DType::Float8E5M2:
      return {2, 15, 0x7b, 0x7c, 0x7f, false};
    case DType::Float8E4M3FN:
      return {3, 7, 0x7e, 0x7e, 0x7f, false};
    case DType::Float8E5M2FNUZ:
      return {2, 16, 0x7f, 0x80, 0x80, true};
    default:
      return {3, 8, 0x7f, 0x80, 0x80, true};
  }
}

// Exponents alone: half way to the next one and beyond is rounded up.
inline uint8_t to_exponent(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x), exponent = (bits >> 23) & 0xffu;
  if (exponent == 0xffu) return 0xff;
  const bool half = bits & 0x400000u, rest = bits & 0x3fffffu;
  const bool up = exponent ? half && (exponent > 0 || rest) : half && rest;
  return static_cast<uint8_t>(exponent + (up ? 1 : 0));
}

inline uint8_t to_float8(DType t, float x) {
  if (t == DType::Float8E8M0FNU) return to_exponent(x);
  const Float8Format f = format_of(t);
  const uint32_t bits = std::bit_cast<uint32_t>(x), size = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
  if (size > 0x7f800000u) return static_cast<uint8_t>(f.one_zero ? f.nan : f.nan | sign);
  const int shift = 23 - f.mantissa;
  const uint32_t smallest_normal = static_cast<uint32_t>(128 - f.bias) << 23;
  uint32_t code;
  if (size < smallest_normal) {  // a sum with a number whose last bit is the smallest subnormal's is rounded to it
    const uint32_t one = static_cast<uint32_t>(127 + 1 - f.bias + shift) << 23;
    code = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + std::bit_cast<float>(one)) - one;
  } else {
    const uint32_t rebased = size - (static_cast<uint32_t>(127 - f.bias) << 23);
    code = (rebased + (1u << (shift - 1)) - 1 + (rebased >> shift & 1u)) >> shift;
  }
  if (code > f.top) return static_cast<uint8_t>(f.one_zero ? f.overflow : f.overflow | sign);
  return static_cast<uint8_t>(f.one_zero && !code ? 0 : code | sign);
}

inline float from_float8(DType t, uint8_t code) {
  if (t == DType::Float8E8M0FNU) {
    if (code == 0xff) return std::bit_cast<float>(0x7fc00000u);
    return std::bit_cast<float>(code ? static_cast<uint32_t>(code) << 23 : 0x400000u);
  }
  const Float8Format f = format_of(t);
  const uint32_t sign = static_cast<uint32_t>(code & 0x80u) << 24, size = code & 0x7fu;
  if (f.one_zero && code == f.nan) return std::bit_cast<float>(0x7fc00000u);
  if (!f.one_zero && size > f.top) {
    const bool infinite = size == f.overflow && f.overflow != f.top;
    return std::bit_cast<float>(sign | (infinite ? 0x7f800000u : 0x7fc00000u));
  }
  const int shift = 23 - f.mantissa;
  const uint32_t rest = size << shift, least = static_cast<uint32_t>(127 + 1 - f.bias) << 23;
  const float number = size >> f.mantissa ? std::bit_cast<float>(rest + (static_cast<uint32_t>(127 - f.bias) << 23))
                                          : std::bit_cast<float>(rest | least) - std::bit_cast<float>(least);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(number));
}

}  // namespace chainrule
