// What every scalar function stands on: bits, fused multiply-add, select, polynomials. Included inside the instruction
// set's namespace and without a guard, like all of scalar/: each instruction set needs its own copy of this code.

#define CR_SCALAR [[gnu::always_inline]] inline

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int mantissa = 23;
  static constexpr Bits bias = 127;
  static constexpr float infinity = __builtin_inff(), nan = __builtin_nanf(""), smallest_normal = 0x1p-126f;
  static constexpr float largest = 0x1.fffffep127f, epsilon = 0x1p-23f;
  static constexpr float round_shift = 0x1.8p23f;  // adding it rounds to an integer, whose bits end up lowest
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int mantissa = 52;
  static constexpr Bits bias = 1023;
  static constexpr double infinity = __builtin_inf(), nan = __builtin_nan(""), smallest_normal = 0x1p-1022;
  static constexpr double largest = 0x1.fffffffffffffp1023, epsilon = 0x1p-52;
  static constexpr double round_shift = 0x1.8p52;
};
template <class T>
using BitsOf = typename Format<T>::Bits;

CR_SCALAR uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
CR_SCALAR uint64_t bits(double x) { return __builtin_bit_cast(uint64_t, x); }
CR_SCALAR float from_bits(uint32_t x) { return __builtin_bit_cast(float, x); }
CR_SCALAR double from_bits(uint64_t x) { return __builtin_bit_cast(double, x); }

// 2^(n - bias) for a biased exponent n within the normal range.
template <class T>
CR_SCALAR T power_of_two(BitsOf<T> biased) {
  return from_bits(BitsOf<T>(biased << Format<T>::mantissa));
}

#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool kFused = true;
CR_SCALAR float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CR_SCALAR double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
inline constexpr bool kFused = false;
CR_SCALAR float fma(float a, float b, float c) { return a * b + c; }
CR_SCALAR double fma(double a, double b, double c) { return a * b + c; }
#endif

// c[first] + c[first + stride] x + ... by Horner's rule.
template <int first, int stride, class T, int n>
CR_SCALAR T horner(T x, const T (&c)[n]) {
  if constexpr (first + stride >= n) {
    return c[first];
  } else {
    return fma(horner<first + stride, stride>(x, c), x, c[first]);
  }
}
// c[0] + c[1] x + ...; long ones as two or four interleaved chains, which do not wait for one another.
template <class T, int n>
CR_SCALAR T polynomial(T x, const T (&c)[n]) {
  if constexpr (n <= 7) {
    return horner<0, 1>(x, c);
  } else if constexpr (n <= 14) {
    T x2 = x * x;
    return fma(horner<1, 2>(x2, c), x, horner<0, 2>(x2, c));
  } else {
    T x2 = x * x, x4 = x2 * x2;
    T low = fma(horner<1, 4>(x4, c), x, horner<0, 4>(x4, c)), high = fma(horner<3, 4>(x4, c), x, horner<2, 4>(x4, c));
    return fma(high, x2, low);
  }
}

// Both arms are evaluated: a choice between values, which vectorises, and not between computations.
template <class A, class B>
CR_SCALAR auto select(bool condition, A a, B b) {
  using T = decltype(a + b);
  const T on_true = T(a), on_false = T(b);
  return condition ? on_true : on_false;
}
template <class T>
CR_SCALAR T zero(T) {
  return T(0);
}

// The gradient of an input that has none; never evaluated.
struct None {
  template <class T>
  operator T() const {
    return T(0);
  }
};
inline constexpr None none{};

CR_SCALAR float abs(float x) { return __builtin_fabsf(x); }
CR_SCALAR double abs(double x) { return __builtin_fabs(x); }
CR_SCALAR float copysign(float x, float s) { return __builtin_copysignf(x, s); }
CR_SCALAR double copysign(double x, double s) { return __builtin_copysign(x, s); }
CR_SCALAR float sqrt(float x) { return __builtin_sqrtf(x); }
CR_SCALAR double sqrt(double x) { return __builtin_sqrt(x); }

CR_SCALAR bool is_infinite(float x) { return abs(x) == Format<float>::infinity; }
CR_SCALAR bool is_infinite(double x) { return abs(x) == Format<double>::infinity; }
CR_SCALAR bool has_sign(float x) { return (bits(x) >> 31) != 0; }
CR_SCALAR bool has_sign(double x) { return (bits(x) >> 63) != 0; }

// x kept within [lo, hi]; NaN stays NaN.
template <class T>
CR_SCALAR T limit(T x, T lo, T hi) {
  T raised = x < lo ? lo : x;
  return raised > hi ? hi : raised;
}
