// The inner loops of the random streams: plain loops that vectorise, fused multiply-adds only where PyTorch has them.
#include <cstdint>
#include <cstring>

namespace chainrule::cpu::CR_ISA {

namespace {

constexpr int kWords = 624, kShift = 397;

inline uint32_t twist(uint32_t word, uint32_t following) {
  uint32_t mixed = (word & 0x80000000u) | (following & 0x7fffffffu);
  return (mixed >> 1) ^ (-(following & 1u) & 0x9908b0dfu);
}

// One multiply-add with one rounding, also where the hardware has none: the exact product and sum in double, made odd
// where it is not exact, so that the second rounding cannot tie.
inline float fused(float a, float b, float c) {
#if defined(__FMA__) || !defined(__x86_64__)
  return __builtin_fmaf(a, b, c);
#else
  double product = double(a) * double(b), sum = product + double(c), part = sum - product;
  double error = (product - (sum - part)) + (double(c) - part);
  uint64_t bits = __builtin_bit_cast(uint64_t, sum), error_bits = __builtin_bit_cast(uint64_t, error);
  uint64_t step = 1 - ((bits ^ error_bits) >> 63 << 1);  // away from zero if the rest has the sign of the sum
  bits += step & -(~bits & 1) & (error != 0 ? ~uint64_t(0) : 0);
  return float(__builtin_bit_cast(double, bits));
#endif
}

// log(x) of x in (0, 1]: the Cephes polynomial on the mantissa in [sqrt(1/2), sqrt(2)).
inline float block_log(float x) {
  x = x < 0x1p-126f ? 0x1p-126f : x;
  uint32_t bits = __builtin_bit_cast(uint32_t, x);
  float exponent = float(int32_t(bits >> 23) - 126);
  float mantissa = __builtin_bit_cast(float, (bits & 0x007fffffu) | 0x3f000000u);
  bool low = mantissa < 0.707106781186547524f;
  exponent -= low ? 1.0f : 0.0f;
  float t = (mantissa - 1.0f) + (low ? mantissa : 0.0f), z = t * t;
  float y = 7.0376836292e-2f;
  y = fused(y, t, -1.1514610310e-1f);
  y = fused(y, t, 1.1676998740e-1f);
  y = fused(y, t, -1.2420140846e-1f);
  y = fused(y, t, 1.4249322787e-1f);
  y = fused(y, t, -1.6668057665e-1f);
  y = fused(y, t, 2.0000714765e-1f);
  y = fused(y, t, -2.4999993993e-1f);
  y = fused(y, t, 3.3333331174e-1f) * t;
  y = fused(y, z, exponent * -2.12194440e-4f);
  y = fused(-z, 0.5f, y);
  return fused(exponent, 0.693359375f, t + y);
}

// Sine and cosine of an angle in [0, 2 pi]: reduction by multiples of pi/4 in three parts, then two short polynomials.
inline void block_sincos(float angle, float* sine, float* cosine) {
  int32_t octant = (int32_t(angle * 1.27323954473516f) + 1) & ~1;
  float j = float(octant);
  float t = fused(j, -0.78515625f, angle);
  t = fused(j, -2.4187564849853515625e-4f, t);
  t = fused(j, -3.77489497744594108e-8f, t);
  float z = t * t;
  float c = fused(2.443315711809948e-5f, z, -1.388731625493765e-3f);
  c = fused(c, z, 4.166664568298827e-2f) * z;
  c = fused(c, z, -(0.5f * z)) + 1.0f;
  float s = fused(-1.9515295891e-4f, z, 8.3321608736e-3f);
  s = fused(s, z, -1.6666654611e-1f) * z;
  s = fused(s, t, t);
  bool swapped = octant & 2;
  uint32_t sine_sign = uint32_t(octant & 4) << 29, cosine_sign = uint32_t(~(octant - 2) & 4) << 29;
  *sine = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, swapped ? c : s) ^ sine_sign);
  *cosine = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, swapped ? s : c) ^ cosine_sign);
}

inline float unit24(uint32_t draw) { return float(int32_t(draw & 0xffffffu)) * 0x1p-24f; }

// 53 bits of two draws, the first one high. Read together as they lie in (little-endian) memory.
inline uint64_t bits53(const uint32_t* draws, int64_t i) {
  uint64_t pair;
  memcpy(&pair, draws + 2 * i, 8);
  return (pair & 0x1fffffu) << 32 | pair >> 32;
}

// An integer below 2^53 to double by exact sums of two halves: AVX2 has no conversion from 64-bit integers.
inline double to_double(uint64_t x) {
  double high = __builtin_bit_cast(double, x >> 32 | 0x4530000000000000u);           // 2^84 + high * 2^32
  double low = __builtin_bit_cast(double, (x & 0xffffffffu) | 0x4330000000000000u);  // 2^52 + low
  return (high - (0x1p84 + 0x1p52)) + low;
}

constexpr int kBlock = 16, kHalfBlock = 8, kTileBlocks = 16, kTileHalf = kTileBlocks * kHalfBlock;

// One tile of blocks, taken apart so that the loop runs over whole vectors whatever their width.
inline void normal_tile(const uint32_t* draws, float* out, int64_t blocks, float mean, float std) {
  uint32_t first[kTileHalf], second[kTileHalf];
  float cosines[kTileHalf], sines[kTileHalf];
  for (int64_t b = 0; b < blocks; ++b) {
    memcpy(first + b * kHalfBlock, draws + b * kBlock, sizeof(float) * kHalfBlock);
    memcpy(second + b * kHalfBlock, draws + b * kBlock + kHalfBlock, sizeof(float) * kHalfBlock);
  }
  for (int64_t i = 0; i < blocks * kHalfBlock; ++i) {
    float radius = __builtin_sqrtf(-2.0f * block_log(1.0f - unit24(first[i])));
    float sine, cosine;
    block_sincos(6.283185307179586f * unit24(second[i]), &sine, &cosine);
    cosines[i] = fused(radius * cosine, std, mean);
    sines[i] = fused(radius * sine, std, mean);
  }
  for (int64_t b = 0; b < blocks; ++b) {
    memcpy(out + b * kBlock, cosines + b * kHalfBlock, sizeof(float) * kHalfBlock);
    memcpy(out + b * kBlock + kHalfBlock, sines + b * kHalfBlock, sizeof(float) * kHalfBlock);
  }
}

}  // namespace

void mt_refill(uint32_t* words) {
  constexpr int kLag = kWords - kShift;  // three loops, none of which reads a word that it has just written
  for (int i = 0; i < kLag; ++i) words[i] = words[i + kShift] ^ twist(words[i], words[i + 1]);
  for (int i = kLag; i < 2 * kLag; ++i) words[i] = words[i - kLag] ^ twist(words[i], words[i + 1]);
  for (int i = 2 * kLag; i < kWords - 1; ++i) words[i] = words[i - kLag] ^ twist(words[i], words[i + 1]);
  words[kWords - 1] = words[kShift - 1] ^ twist(words[kWords - 1], words[0]);
}

void mt_temper(const uint32_t* words, uint32_t* draws, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t y = words[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    draws[i] = y ^ (y >> 18);
  }
}

void uniform_floats(const uint32_t* draws, float* out, int64_t n, float from, float to) {
  float range = to - from;
  for (int64_t i = 0; i < n; ++i) {
    float value = fused(unit24(draws[i]), range, from);
    out[i] = value == to ? from : value;
  }
}

void uniform_doubles(const uint32_t* draws, double* out, int64_t n, double from, double to) {
  double range = to - from;
  for (int64_t i = 0; i < n; ++i) {
    double value = __builtin_fma(to_double(bits53(draws, i)) * 0x1p-53, range, from);
    out[i] = value == to ? from : value;
  }
}

void normal_floats(const uint32_t* draws, float* out, int64_t blocks, float mean, float std) {
  for (int64_t b = 0; b < blocks; b += kTileBlocks) {
    int64_t count = blocks - b < kTileBlocks ? blocks - b : kTileBlocks;
    normal_tile(draws + b * kBlock, out + b * kBlock, count, mean, std);
  }
}

void below_limit(const uint32_t* draws, uint8_t* out, int64_t n, uint64_t limit) {
  for (int64_t i = 0; i < n; ++i) out[i] = int64_t(bits53(draws, i)) < int64_t(limit);
}

}  // namespace chainrule::cpu::CR_ISA
