// float16 and bfloat16 as storage types: bits plus conversion to and from float, rounding to nearest even.
#pragma once
#include <bit>
#include <cstdint>

namespace chainrule {

struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  BFloat16(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    bits = (u & 0x7fffffffu) > 0x7f800000u ? uint16_t(0x7fc0) : uint16_t(rounded);
  }
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

struct Half {
  uint16_t bits;
  Half() = default;
#ifdef __F16C__
  Half(float f) : bits(uint16_t(__builtin_ia32_vcvtps2ph(__attribute__((vector_size(16))) float{f}, 0)[0])) {}
  operator float() const { return __builtin_ia32_vcvtph2ps(__attribute__((vector_size(16))) short{short(bits)})[0]; }
#else
  Half(float f) : bits(from_float(f)) {}
  operator float() const { return to_float(bits); }
#endif

  // Branch-free so that loops over rows vectorise: scale by powers of two and let the FPU do the rounding.
  static uint16_t from_float(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
    // Subnormal halves: adding 0.5 aligns the mantissa so that the addition rounds to nearest even.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - 0x3f000000u;
    uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return uint16_t(sign | (magnitude >= 0x477ff000u ? special : finite));
  }
  static float to_float(uint16_t h) {
    uint32_t sign = uint32_t(h & 0x8000u) << 16, exponent = h & 0x7c00u, mantissa = uint32_t(h & 0x3ffu) << 13;
    float normal = std::bit_cast<float>((uint32_t(exponent) << 13) + 0x38000000u + mantissa);
    float subnormal = std::bit_cast<float>(mantissa + 0x38800000u) - std::bit_cast<float>(0x38800000u);
    float special = std::bit_cast<float>(0x7f800000u | mantissa);
    float magnitude = exponent == 0 ? subnormal : exponent == 0x7c00u ? special : normal;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
};

}  // namespace chainrule
