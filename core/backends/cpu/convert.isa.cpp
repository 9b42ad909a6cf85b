// Conversion kernels for every pair of dtypes: one template, with rows of float16 passing through the machine's own
// conversion instructions.
#include "backends/cpu/convert.hpp"

#include <type_traits>

#include "tensor/complex.hpp"
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace chainrule::cpu::CR_ISA {

// Storage of a dtype whose C++ type would not tell it apart. The half types are not those of half.hpp: their inline
// functions would be shared between instruction sets.
struct BoolByte {
  uint8_t byte;
};
struct HalfBits {
  uint16_t bits;
};
struct BFloatBits {
  uint16_t bits;
};

template <class T>
inline constexpr bool is_complex_number = false;
template <class R>
inline constexpr bool is_complex_number<Complex<R>> = true;

#define CR_CONVERT [[gnu::always_inline]] inline

CR_CONVERT uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
CR_CONVERT float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// Round to nearest, ties to even, by carrying into the upper half; NaN would carry into infinity.
CR_CONVERT BFloatBits to_bfloat16(float x) {
  uint32_t u = bits_of(x), rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return {uint16_t(x != x ? 0x7fc0u : rounded)};
}
CR_CONVERT float to_float(BFloatBits x) { return float_of(uint32_t(x.bits) << 16); }

// Branch-free: a normal half is rebased by its exponent, a subnormal one is rounded by adding 1/2, whose last bit has
// the value of the smallest half.
CR_CONVERT HalfBits to_half(float x) {
  uint32_t u = bits_of(x), sign = (u >> 16) & 0x8000u, size = u & 0x7fffffffu;
  uint32_t subnormal = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
  uint32_t normal = (size - (112u << 23) + 0xfffu + ((size >> 13) & 1u)) >> 13;
  uint32_t finite = size < (113u << 23) ? subnormal : normal;
  uint32_t special = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
  return {uint16_t(sign | (size >= 0x477ff000u ? special : finite))};
}
CR_CONVERT float to_float(HalfBits x) {
  uint32_t sign = uint32_t(x.bits & 0x8000u) << 16, rest = uint32_t(x.bits & 0x7fffu) << 13;
  float subnormal = float_of(rest + (113u << 23)) - float_of(113u << 23);
  uint32_t normal = rest + ((rest >= 0x0f800000u ? 224u : 112u) << 23);  // infinity and NaN: the top exponent
  uint32_t size = rest < (1u << 23) ? bits_of(subnormal) : normal;
  return float_of(size | sign);
}

// A stored element as a number to compute with.
template <class From>
CR_CONVERT auto number(From x) {
  if constexpr (std::is_same_v<From, BoolByte>) {
    return uint8_t(x.byte != 0);
  } else if constexpr (std::is_same_v<From, BFloatBits> || std::is_same_v<From, HalfBits>) {
    return to_float(x);
  } else {
    return x;
  }
}

template <class To, class N>
CR_CONVERT To from_number(N x) {
  if constexpr (std::is_same_v<To, BoolByte>) {
    return {uint8_t(x != 0)};
  } else if constexpr (is_complex_number<N> && is_complex_number<To>) {
    using R = decltype(To::re);
    return To(R(x.re), R(x.im));
  } else if constexpr (is_complex_number<N>) {
    return from_number<To>(x.re);
  } else if constexpr (is_complex_number<To>) {
    return To(decltype(To::re)(x));
  } else if constexpr (std::is_same_v<To, BFloatBits>) {
    return to_bfloat16(float(x));
  } else if constexpr (std::is_same_v<To, HalfBits>) {
    return to_half(float(x));
  } else if constexpr (std::is_unsigned_v<To> && sizeof(To) >= 4 && std::is_floating_point_v<N>) {
    using Half = std::make_signed_t<To>;  // machines convert to signed integers
    constexpr To kTopBit = To(1) << (8 * sizeof(To) - 1);
    return x >= N(kTopBit) ? To(Half(x - N(kTopBit))) ^ kTopBit : To(Half(x));
  } else if constexpr (std::is_same_v<To, uint16_t> && std::is_floating_point_v<N>) {
    return uint16_t(int32_t(x));  // negative numbers wrap around
  } else if constexpr (std::is_same_v<To, uint8_t> && std::is_floating_point_v<N>) {
    return uint8_t(int64_t(x));
  } else {
    return To(x);
  }
}

template <class From, class To>
CR_CONVERT void convert_row(To* out, const From* in, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = from_number<To>(number(in[i]));
}

#ifdef __F16C__
CR_CONVERT void convert_row(float* out, const HalfBits* in, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
  }
  for (; i < n; ++i) out[i] = _cvtsh_ss(in[i].bits);
}
CR_CONVERT void convert_row(HalfBits* out, const float* in, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), halves);
  }
  for (; i < n; ++i) out[i].bits = _cvtss_sh(in[i], _MM_FROUND_TO_NEAREST_INT);
}
#endif

// float16 to or from anything but float32 goes through a tile of float32 (of both, where both ends are halves).
template <class From, class To>
CR_CONVERT void convert_through_float(To* out, const From* in, int64_t n) {
  constexpr int64_t kTile = 256;
  float tile[kTile];
  for (int64_t begin = 0; begin < n; begin += kTile) {
    int64_t count = n - begin < kTile ? n - begin : kTile;
    convert_row(tile, in + begin, count);
    convert_row(out + begin, tile, count);
  }
}

template <class From, class To>
void convert_kernel(void* out, const void* in, int64_t n) {
  constexpr bool half_from = std::is_same_v<From, HalfBits>, half_to = std::is_same_v<To, HalfBits>;
  if constexpr (std::is_same_v<From, To>) {
    __builtin_memmove(out, in, size_t(n) * sizeof(To));
  } else if constexpr ((half_from && !std::is_same_v<To, float>) || (half_to && !std::is_same_v<From, float>)) {
    convert_through_float(static_cast<To*>(out), static_cast<const From*>(in), n);
  } else {
    convert_row(static_cast<To*>(out), static_cast<const From*>(in), n);
  }
}

// In the order of DType.
#define CR_EACH_DTYPE(f)                                                                                         \
  f(BoolByte), f(uint8_t), f(uint16_t), f(uint32_t), f(uint64_t), f(int8_t), f(int16_t), f(int32_t), f(int64_t), \
      f(HalfBits), f(BFloatBits), f(float), f(double), f(Complex<float>), f(Complex<double>)

// Between integers the sign of the result's type never matters, and that of the source only where bits are added: such
// pairs share their kernels.
template <class T>
using Signed = std::conditional_t<std::is_integral_v<T>, std::make_signed<T>, std::type_identity<T>>::type;
template <class From, class To>
struct Shared {
  static constexpr bool integers = std::is_integral_v<From> && std::is_integral_v<To>;
  using Source = std::conditional_t<integers && sizeof(To) <= sizeof(From), Signed<From>, From>;
  using Result = std::conditional_t<integers || std::is_same_v<From, BoolByte>, Signed<To>, To>;
  static constexpr ConvertKernel kernel = &convert_kernel<Source, Result>;
};

template <class From>
struct ConvertRow {
#define CR_TO(To) Shared<From, To>::kernel
  static constexpr ConvertKernel kernels[kDTypesWithKernels] = {CR_EACH_DTYPE(CR_TO)};
};

#define CR_FROM(From)                                                                           \
  {ConvertRow<From>::kernels[0],  ConvertRow<From>::kernels[1],  ConvertRow<From>::kernels[2],  \
   ConvertRow<From>::kernels[3],  ConvertRow<From>::kernels[4],  ConvertRow<From>::kernels[5],  \
   ConvertRow<From>::kernels[6],  ConvertRow<From>::kernels[7],  ConvertRow<From>::kernels[8],  \
   ConvertRow<From>::kernels[9],  ConvertRow<From>::kernels[10], ConvertRow<From>::kernels[11], \
   ConvertRow<From>::kernels[12], ConvertRow<From>::kernels[13], ConvertRow<From>::kernels[14]}
constinit const ConvertKernel convert_kernels[kDTypesWithKernels][kDTypesWithKernels] = {CR_EACH_DTYPE(CR_FROM)};

}  // namespace chainrule::cpu::CR_ISA
