// The scalar functions for complex numbers, through the C++ library where it is accurate. Only the baseline build
// instantiates them, so sharing std's templates between instruction sets is no danger here.

template <class R>
std::complex<R> to_std(Complex<R> z) {
  return {z.re, z.im};
}
template <class R>
Complex<R> from_std(std::complex<R> z) {
  return {z.real(), z.imag()};
}

#define CR_COMPLEX_FUNCTION(name)          \
  template <class R>                       \
  Complex<R> name(Complex<R> z) {          \
    return from_std(std::name(to_std(z))); \
  }
CR_COMPLEX_FUNCTION(exp)
CR_COMPLEX_FUNCTION(log)
CR_COMPLEX_FUNCTION(log10)
CR_COMPLEX_FUNCTION(sqrt)
CR_COMPLEX_FUNCTION(sin)
CR_COMPLEX_FUNCTION(cos)
CR_COMPLEX_FUNCTION(tan)
CR_COMPLEX_FUNCTION(sinh)
CR_COMPLEX_FUNCTION(cosh)
CR_COMPLEX_FUNCTION(tanh)
CR_COMPLEX_FUNCTION(asin)
CR_COMPLEX_FUNCTION(acos)
CR_COMPLEX_FUNCTION(atan)
CR_COMPLEX_FUNCTION(asinh)
CR_COMPLEX_FUNCTION(acosh)
CR_COMPLEX_FUNCTION(atanh)
#undef CR_COMPLEX_FUNCTION

template <class R>
Complex<R> log2(Complex<R> z) {
  return log(z) * R(1.44269504088896341);
}
template <class R>
Complex<R> exp2(Complex<R> z) {
  return exp(z * R(0.693147180559945309));
}
template <class R>
Complex<R> ldexp(Complex<R> a, Complex<R> b) {
  return a * exp2(b);
}
// exp(z) - 1 with its real part written so that nothing cancels near zero.
template <class R>
Complex<R> expm1(Complex<R> z) {
  R half_sine = __builtin_sin(double(z.im) / 2), grown = expm1(z.re);
  R real = grown * R(__builtin_cos(double(z.im))) - 2 * half_sine * half_sine;
  return {real, (grown + 1) * R(__builtin_sin(double(z.im)))};
}
// |1 + z|^2 - 1 = re (2 + re) + im^2 keeps what 1 + z would lose.
template <class R>
Complex<R> log1p(Complex<R> z) {
  R x = 1 + z.re, size = std::hypot(x, z.im);
  R real = size < R(0.5) || size > R(2) ? log(size) : R(0.5) * log1p(z.re * (2 + z.re) + z.im * z.im);
  return {real, std::atan2(z.im, x)};
}
// Small exponents need no logarithm, which would cost the last digits: (1 + 2i)^2 is -3 + 4i.
template <class R>
Complex<R> pow(Complex<R> base, Complex<R> exponent) {
  if (exponent == 0 || base == 1) return {1, 0};
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  if (exponent == R(0.5)) return sqrt(base);
  if (exponent == R(-0.5)) return 1 / sqrt(base);
  if (exponent == -1) return 1 / base;
  if (exponent == -2) return 1 / (base * base);
  return from_std(std::pow(to_std(base), to_std(exponent)));
}
template <class R>
Complex<R> sigmoid(Complex<R> z) {
  return 1 / (1 + exp(-z));
}
template <class R>
Complex<R> sinc(Complex<R> z) {
  Complex<R> scaled = z * R(3.14159265358979324);
  return z == 0 ? Complex<R>(1) : sin(scaled) / scaled;
}
template <class R>
Complex<R> lerp(Complex<R> start, Complex<R> end, Complex<R> weight) {
  bool near_start = std::hypot(weight.re, weight.im) < R(0.5);
  return near_start ? start + weight * (end - start) : end - (end - start) * (1 - weight);
}
// log(exp(a) + exp(b)) around the one with the larger real part; two equal infinities must not meet in a difference.
template <class R>
Complex<R> logaddexp(Complex<R> a, Complex<R> b) {
  Complex<R> larger = a.re > b.re ? a : b, smaller = a.re > b.re ? b : a;
  if (is_infinite(a.re) && a.re == b.re) return a.re < 0 ? smaller : log(exp(a) + exp(b));
  return larger + log1p(exp(smaller - larger));
}
// The first for complex numbers, the second for real ones.
template <class R>
Complex<R> if_complex(Complex<R> complex, Complex<R>) {
  return complex;
}
template <class T>
CR_SCALAR T if_complex(T, T real) {
  return real;
}
template <class R>
bool is_infinite(Complex<R> z) {
  return is_infinite(z.re) || is_infinite(z.im);
}
