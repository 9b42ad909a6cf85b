// What stands before the text of a kernel that is compiled for the host: CUDA's words, on one thread of the host at a
// time. No header of the C++ library is read: a kernel takes a fifth of a second to compile.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "state.hpp"

extern "C" EmulatedState emulated;
#define threadIdx emulated.thread
#define blockIdx emulated.block
#define blockDim emulated.threads
#define gridDim emulated.blocks
#define warpSize 32

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __restrict__
#define DYNAMIC_SHARED(type, name) type* name = (type*)emulated.shared

// A kernel takes one struct, whose address is all that the emulator knows of it.
#define KERNEL(name, Arguments)                                                                \
  static void name##_body(const Arguments& a);                                                 \
  extern "C" void name(const void* p) {                                                        \
    const Arguments copy = *(const Arguments*)p; /* no more than these bytes reach a kernel */ \
    if (emulated.thread.x == 0 && emulated.block.x == 0) emulated.check(&copy, sizeof copy);   \
    name##_body(copy);                                                                         \
  }                                                                                            \
  static void name##_body(const Arguments& a)
#define KERNEL_BOUNDED(name, Arguments, threads) KERNEL(name, Arguments)

namespace std {
template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
inline constexpr int memory_order_relaxed = 0;
}  // namespace std

inline void __syncthreads() { emulated.wait(false); }
inline void __syncwarp(unsigned = ~0u) { emulated.wait(true); }
inline void __threadfence() {}

// ---- warps

template <class V>
inline V emulated_exchange(V mine, unsigned lane_of_other) {
  static_assert(sizeof(V) <= 16);
  const unsigned me = emulated.thread.x, warp = me / 32 * 32;
  *(V*)emulated.exchanged[me] = mine;
  emulated.wait(true);
  const V theirs = *(V*)emulated.exchanged[warp + lane_of_other];
  emulated.wait(true);
  return theirs;
}
template <class V>
inline V __shfl_sync(unsigned, V v, int lane) {
  return emulated_exchange(v, unsigned(lane) % 32);
}
template <class V>
inline V __shfl_xor_sync(unsigned, V v, int mask) {
  return emulated_exchange(v, (emulated.thread.x % 32) ^ unsigned(mask));
}
template <class V>
inline V __shfl_down_sync(unsigned, V v, unsigned by) {
  const unsigned lane = emulated.thread.x % 32;
  return emulated_exchange(v, lane + by < 32 ? lane + by : lane);
}
template <class V>
inline V __shfl_up_sync(unsigned, V v, unsigned by) {
  const unsigned lane = emulated.thread.x % 32;
  return emulated_exchange(v, lane >= by ? lane - by : lane);
}
inline unsigned __ballot_sync(unsigned, bool here) {
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) bits |= unsigned(emulated_exchange(here, lane)) << lane;
  return bits;
}
template <class V>
inline unsigned __match_any_sync(unsigned, V v) {
  const unsigned me = emulated.thread.x, warp = me / 32 * 32;
  *(V*)emulated.exchanged[me] = v;
  emulated.wait(true);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane) same |= unsigned(*(V*)emulated.exchanged[warp + lane] == v) << lane;
  emulated.wait(true);
  return same;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(int(bits)); }
inline int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }

// ---- atomics: one thread runs at a time

template <class V, class W>
inline V atomicAdd(V* at, W by) {
  const V before = *at;
  *at = V(before + V(by));
  return before;
}
template <class V>
inline V atomicMax(V* at, V other) {
  const V before = *at;
  if (other > before) *at = other;
  return before;
}
template <class V>
inline V atomicMin(V* at, V other) {
  const V before = *at;
  if (other < before) *at = other;
  return before;
}
template <class V>
inline V atomicOr(V* at, V bits) {
  const V before = *at;
  *at = before | bits;
  return before;
}
template <class V>
inline V atomicExch(V* at, V value) {
  const V before = *at;
  *at = value;
  return before;
}
template <class V>
inline V atomicCAS(V* at, V expected, V value) {
  const V before = *at;
  if (before == expected) *at = value;
  return before;
}

// ---- numbers

inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
template <class V>
inline V __ldg(const V* p) {
  return *p;
}

inline void __sincosf(float x, float* s, float* c) {
  *s = float(sin(double(x)));
  *c = float(cos(double(x)));
}
inline float __tanf(float x) { return float(tan(double(x))); }

// In units of half a turn: whole quarters are taken off first, so zeros are zeros.
inline void sincospi(double x, double* s, double* c) {
  const double quarters = rint(x * 2), rest = M_PI * (x - quarters * 0.5), sine = sin(rest), cosine = cos(rest);
  const int which = int(quarters) & 3;
  *s = which == 0 ? sine : which == 1 ? cosine : which == 2 ? -sine : -cosine;
  *c = which == 0 ? cosine : which == 1 ? -sine : which == 2 ? -cosine : sine;
}
inline void sincospif(float x, float* s, float* c) {
  double sine, cosine;
  sincospi(double(x), &sine, &cosine);
  *s = float(sine);
  *c = float(cosine);
}

// Functions that CUDA has and the C library has not.
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline double erfcx(double x) {
  if (x < 25) return exp(x * x) * erfc(x);
  const double y = x * x;
  return 0.56418958354775628695 / x * (1 - 0.5 / y * (1 - 1.5 / y * (1 - 2.5 / y)));
}
inline double erfinv(double x) {
  if (!(x > -1 && x < 1)) return x == 1 ? HUGE_VAL : x == -1 ? -HUGE_VAL : NAN;
  const double w = -log1p(-x * x), t = 4.3307467508 + w / 2;
  double y = copysign(sqrt(sqrt(t * t - w / 0.147) - t), x);
  if (!(y == y)) y = x;
  for (int i = 0; i < 60; ++i) {  // from a rough formula by Newton's steps, on the side where nothing cancels
    const double off = x > 0.5 ? (1 - x) - erfc(y) : x < -0.5 ? erfc(-y) - (1 + x) : erf(y) - x;
    const double step = off / (1.12837916709551257390 * exp(-y * y));
    y -= step;
    if (fabs(step) <= 1e-16 * fabs(y)) break;
  }
  return y;
}
inline double normcdfinv(double p) { return M_SQRT2 * erfinv(2 * p - 1); }
inline float normcdff(float x) { return float(normcdf(x)); }
inline float erfcxf(float x) { return float(erfcx(x)); }
inline float erfinvf(float x) { return float(erfinv(x)); }
inline float normcdfinvf(float x) { return float(normcdfinv(x)); }

inline float half_to_float(uint16_t bits) { return float(__builtin_bit_cast(_Float16, bits)); }
inline uint16_t float_to_half(float f) { return __builtin_bit_cast(uint16_t, (_Float16)f); }
inline uint16_t float_to_bfloat16(float f) {
  uint32_t bits = __builtin_bit_cast(uint32_t, f);
  if (f != f) return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
