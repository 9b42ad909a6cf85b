// Complex numbers as elements of tensors: the layout of std::complex, and operators that mix with real literals.
#pragma once

namespace chainrule {

// Every function is inlined by force: one copy shared by files built for different instruction sets would be a trap.
#define CR_COMPLEX [[gnu::always_inline]] friend constexpr

template <class R>
struct Complex {
  R re, im;

  Complex() = default;
  [[gnu::always_inline]] constexpr Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}

  CR_COMPLEX Complex operator+(Complex a) { return a; }
  CR_COMPLEX Complex operator-(Complex a) { return {-a.re, -a.im}; }

  CR_COMPLEX Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  CR_COMPLEX Complex operator+(Complex a, R b) { return {a.re + b, a.im}; }
  CR_COMPLEX Complex operator+(R a, Complex b) { return {a + b.re, b.im}; }

  CR_COMPLEX Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  CR_COMPLEX Complex operator-(Complex a, R b) { return {a.re - b, a.im}; }
  CR_COMPLEX Complex operator-(R a, Complex b) { return {a - b.re, -b.im}; }

  CR_COMPLEX Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  CR_COMPLEX Complex operator*(Complex a, R b) { return {a.re * b, a.im * b}; }
  CR_COMPLEX Complex operator*(R a, Complex b) { return {a * b.re, a * b.im}; }

  // Scaled by the larger part of the divisor, so that no intermediate overflows before the result does.
  CR_COMPLEX Complex operator/(Complex a, Complex b) {
    R size_re = b.re < 0 ? -b.re : b.re, size_im = b.im < 0 ? -b.im : b.im;
    if (size_re == 0 && size_im == 0) return {a.re / size_re, a.im / size_im};
    if (size_re >= size_im) {
      R ratio = b.im / b.re, scale = R(1) / (b.re + b.im * ratio);
      return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    R ratio = b.re / b.im, scale = R(1) / (b.re * ratio + b.im);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
  }
  CR_COMPLEX Complex operator/(Complex a, R b) { return {a.re / b, a.im / b}; }
  CR_COMPLEX Complex operator/(R a, Complex b) { return Complex(a) / b; }

  CR_COMPLEX bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  CR_COMPLEX bool operator==(Complex a, R b) { return a.re == b && a.im == 0; }
  CR_COMPLEX bool operator!=(Complex a, Complex b) { return !(a == b); }
  CR_COMPLEX bool operator!=(Complex a, R b) { return !(a == b); }

  [[gnu::always_inline]] constexpr Complex& operator+=(Complex b) { return *this = *this + b; }
  [[gnu::always_inline]] constexpr Complex& operator-=(Complex b) { return *this = *this - b; }
  [[gnu::always_inline]] constexpr Complex& operator*=(Complex b) { return *this = *this * b; }
  [[gnu::always_inline]] constexpr Complex& operator/=(Complex b) { return *this = *this / b; }

  CR_COMPLEX Complex conj(Complex a) { return {a.re, -a.im}; }
};

#undef CR_COMPLEX

static_assert(sizeof(Complex<float>) == 8 && sizeof(Complex<double>) == 16);

}  // namespace chainrule
