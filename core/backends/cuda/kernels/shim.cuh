// What the scalar headers expect of their surroundings. No header is included, so that neither a toolkit nor its
// folders have to be there at run time; functions are the device's by default.
#ifdef __CUDACC_RTC__
using uint8_t = unsigned char;
using int8_t = signed char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;
namespace std {
template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
inline constexpr int memory_order_relaxed = 0;
}  // namespace std
#define __FMA__ 1
#define __builtin_fabsf ::fabsf
#define __builtin_fabs ::fabs
#define __builtin_fmaf ::fmaf
#define __builtin_fma ::fma
#define __builtin_copysignf ::copysignf
#define __builtin_copysign ::copysign
#define __builtin_sqrtf ::sqrtf
#define __builtin_sqrt ::sqrt
#define __builtin_powf ::powf
#define __builtin_pow ::pow
#define __builtin_truncf ::truncf
#define __builtin_trunc ::trunc
#define __builtin_floorf ::floorf
#define __builtin_floor ::floor
#define __builtin_ceilf ::ceilf
#define __builtin_ceil ::ceil
#define __builtin_rintf ::rintf
#define __builtin_rint ::rint
#define __builtin_sin ::sin
#define __builtin_cos ::cos
#define __builtin_tan ::tan
#define __builtin_fmodf ::fmodf
#define __builtin_fmod ::fmod
#define __builtin_acos ::acos
#define __builtin_erfc ::erfc
#define __builtin_erf ::erf
#define __builtin_tgamma ::tgamma
#define __builtin_j0 ::j0
#define __builtin_j1 ::j1
#define __builtin_y0 ::y0
#define __builtin_y1 ::y1
#define __builtin_inff() __builtin_bit_cast(float, 0x7f800000u)
#define __builtin_inf() __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define __builtin_nanf(text) __builtin_bit_cast(float, 0x7fc00000u)
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7ff8000000000000ull)
inline double lgamma_r(double x, int*) { return ::lgamma(x); }
inline float half_to_float(uint16_t bits) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
}
inline uint16_t float_to_half(float f) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
  return bits;
}
inline uint16_t float_to_bfloat16(float f) {
  uint32_t bits = __builtin_bit_cast(uint32_t, f);
  if (f != f) return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// A kernel takes one struct.
#define KERNEL(name, Arguments) extern "C" __global__ void name(const __grid_constant__ Arguments a)
#define KERNEL_BOUNDED(name, Arguments, threads) \
  extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ Arguments a)
#endif

// Note [Errors of kernels]: what a kernel met, in memory that the host reads. The host says where.
struct MetError {
  volatile uint32_t what, call;
  volatile long long value, limit;
};
extern "C" __device__ MetError* met_error = nullptr;
struct DivisionFlag {
  void store(bool, int) const { met_error->what = 1; }
};
__device__ constexpr DivisionFlag integer_division_by_zero{};
