// Fourier transforms of two to eight numbers, in registers, on vectors of any width.
#pragma once
#include "backends/cpu/gemm_vector.hpp"
#include "tensor/complex.hpp"

namespace chainrule::cpu::CR_ISA {

template <class T, int W>
struct Wide {
  typedef T Value __attribute__((vector_size(W * sizeof(T))));
  typedef T Memory __attribute__((vector_size(W * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T>
struct Wide<T, 1> {
  using Value = T;
  using Memory = T;
};

template <class V, class W>
CR_INLINE Complex<V> times(Complex<V> a, W re, W im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
template <class V>
CR_INLINE Complex<V> times_minus_i(Complex<V> a) {
  return {a.im, -a.re};
}

// cos(2 pi k / n) or, with `sine`, sin, at compile time; 0 <= k < n.
constexpr double root_part(int k, int n, bool sine) {
  long double x = 2 * 3.14159265358979323846264338327950288L * (2 * k > n ? k - n : k) / n, sum = 0;
  long double term = sine ? x : 1;
  for (int i = sine ? 1 : 0; i < 60; i += 2) {
    sum += term;
    term *= -x * x / ((i + 1) * (i + 2));
  }
  return static_cast<double>(sum);
}

// cos and sin of 2 pi j k / R.
template <class T, int R>
struct OddRoots {
  T re[R / 2 + 1][R / 2 + 1] = {}, im[R / 2 + 1][R / 2 + 1] = {};
  constexpr OddRoots() {
    for (int j = 1; j <= R / 2; ++j) {
      for (int k = 1; k <= R / 2; ++k) {
        re[j][k] = static_cast<T>(root_part(j * k % R, R, false));
        im[j][k] = static_cast<T>(root_part(j * k % R, R, true));
      }
    }
  }
};

// An odd R: x[k] and x[R - k] meet conjugate roots.
template <class T, int R, class V>
CR_INLINE void transform(Complex<V> (&x)[R]) {
  static constexpr OddRoots<T, R> roots;
  Complex<V> sum[R / 2 + 1], difference[R / 2 + 1], first = x[0];
#pragma GCC unroll 8
  for (int k = 1; k <= R / 2; ++k) {
    sum[k] = x[k] + x[R - k];
    difference[k] = times_minus_i(x[k] - x[R - k]);
    x[0] = x[0] + sum[k];
  }
#pragma GCC unroll 8
  for (int j = 1; j <= R / 2; ++j) {
    Complex<V> even = first, odd{difference[1].re * roots.im[j][1], difference[1].im * roots.im[j][1]};
#pragma GCC unroll 8
    for (int k = 1; k <= R / 2; ++k) {
      even = even + Complex<V>{sum[k].re * roots.re[j][k], sum[k].im * roots.re[j][k]};
      if (k > 1) odd = odd + Complex<V>{difference[k].re * roots.im[j][k], difference[k].im * roots.im[j][k]};
    }
    x[j] = even + odd;
    x[R - j] = even - odd;
  }
}

template <class T, class V>
CR_INLINE void transform(Complex<V> (&x)[2]) {
  Complex<V> a = x[0], b = x[1];
  x[0] = a + b;
  x[1] = a - b;
}

template <class T, class V>
CR_INLINE void transform(Complex<V> (&x)[4]) {
  Complex<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = times_minus_i(x[1] - x[3]);
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

template <class T, class V>
CR_INLINE void transform(Complex<V> (&x)[8]) {
  constexpr T h = static_cast<T>(0.70710678118654752440L);
  Complex<V> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
  transform<T>(even);
  transform<T>(odd);
  odd[1] = {(odd[1].re + odd[1].im) * h, (odd[1].im - odd[1].re) * h};
  odd[2] = times_minus_i(odd[2]);
  odd[3] = {(odd[3].im - odd[3].re) * h, -(odd[3].re + odd[3].im) * h};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

}  // namespace chainrule::cpu::CR_ISA
