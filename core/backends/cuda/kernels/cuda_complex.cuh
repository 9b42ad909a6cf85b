// Complex functions without std::complex: Kahan's formulas for the inverses; R's functions are those beside.
template <class R>
inline Complex<R> times_i(Complex<R> z) { return {-z.im, z.re}; }
template <class R>
inline Complex<R> over_i(Complex<R> z) { return {z.im, -z.re}; }
template <class R>
inline R modulus(Complex<R> z) { return R(::hypot(double(z.re), double(z.im))); }
template <class R>
inline Complex<R> exp(Complex<R> z) {
  R size = exp(z.re);
  if (z.im == 0) return {size, z.im};
  if (z.re == -Format<R>::infinity && !(abs(z.im) < Format<R>::infinity)) return {R(0), R(0)};
  return {size * cos(z.im), size * sin(z.im)};
}
template <class R>
inline Complex<R> log(Complex<R> z) {
  R size = modulus(z), real = log(size);
  if (size > R(0.5) && size < R(2)) {  // |z|^2 - 1 without cancellation
    R larger = abs(z.re) > abs(z.im) ? abs(z.re) : abs(z.im), smaller = abs(z.re) > abs(z.im) ? abs(z.im) : abs(z.re);
    real = R(0.5) * log1p(fma(larger - 1, larger + 1, smaller * smaller));
  }
  return {real, atan2(z.im, z.re)};
}
template <class R>
inline Complex<R> log10(Complex<R> z) { return log(z) * R(0.434294481903251828); }
template <class R>
inline Complex<R> sqrt(Complex<R> z) {
  if (z.re == 0 && z.im == 0) return {R(0), z.im};
  if (abs(z.im) == Format<R>::infinity) return {Format<R>::infinity, z.im};
  double x = z.re, y = z.im, t = ::sqrt((::fabs(x) + ::hypot(x, y)) / 2);
  if (z.re >= 0) return {R(t), R(y / (2 * t))};
  return {R(::fabs(y) / (2 * t)), R(::copysign(t, y))};
}
template <class R>
inline Complex<R> sin(Complex<R> z) { return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)}; }
template <class R>
inline Complex<R> cos(Complex<R> z) { return {cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)}; }
template <class R>
inline Complex<R> sinh(Complex<R> z) { return over_i(sin(times_i(z))); }
template <class R>
inline Complex<R> cosh(Complex<R> z) { return cos(times_i(z)); }
template <class R>
inline Complex<R> tanh(Complex<R> z) {
  if (abs(z.re) > R(sizeof(R) == 4 ? 11 : 22)) return {copysign(R(1), z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * abs(z.re))};
  R t = tan(z.im), s = sinh(z.re), beta = 1 + t * t, rho = sqrt(1 + s * s), under = 1 + beta * s * s;
  return {beta * rho * s / under, t / under};
}
template <class R>
inline Complex<R> tan(Complex<R> z) { return over_i(tanh(times_i(z))); }
template <class R>
inline Complex<R> asin(Complex<R> z) {
  Complex<R> low = sqrt(1 - z), high = sqrt(1 + z);
  return {atan2(z.re, (low * high).re), asinh((conj(low) * high).im)};
}
template <class R>
inline Complex<R> acos(Complex<R> z) {
  Complex<R> low = sqrt(1 - z), high = sqrt(1 + z);
  return {2 * atan2(low.re, high.re), asinh((conj(high) * low).im)};
}
template <class R>
inline Complex<R> acosh(Complex<R> z) {
  Complex<R> low = sqrt(z - 1), high = sqrt(z + 1);
  return {asinh((conj(low) * high).re), 2 * atan2(low.im, high.re)};
}
template <class R>
inline Complex<R> atanh(Complex<R> z) {
  R x = z.re, y = z.im, away = (1 - x) * (1 - x) + y * y;
  return {R(0.25) * log1p(4 * x / away), R(0.5) * atan2(2 * y, (1 - x) * (1 + x) - y * y)};
}
template <class R>
inline Complex<R> asinh(Complex<R> z) { return over_i(asin(times_i(z))); }
template <class R>
inline Complex<R> atan(Complex<R> z) { return over_i(atanh(times_i(z))); }
template <class R>
inline Complex<R> library_pow(Complex<R> base, Complex<R> exponent) {
  if (base == 0) return {R(0), R(0)};
  return exp(exponent * log(base));
}
template <class R>
inline Complex<R> log2(Complex<R> z) {
  return log(z) * R(1.44269504088896341);
}
template <class R>
inline Complex<R> exp2(Complex<R> z) {
  return exp(z * R(0.693147180559945309));
}
template <class R>
inline Complex<R> ldexp(Complex<R> a, Complex<R> b) {
  return a * exp2(b);
}
// exp(z) - 1 with its real part written so that nothing cancels near zero.
template <class R>
inline Complex<R> expm1(Complex<R> z) {
  R half_sine = R(::sin(double(z.im) / 2)), grown = expm1(z.re);
  R real = grown * R(::cos(double(z.im))) - 2 * half_sine * half_sine;
  return {real, (grown + 1) * R(::sin(double(z.im)))};
}
// |1 + z|^2 - 1 = re (2 + re) + im^2 keeps what 1 + z would lose.
template <class R>
inline Complex<R> log1p(Complex<R> z) {
  R x = 1 + z.re, size = hypot(x, z.im);
  R real = size < R(0.5) || size > R(2) ? log(size) : R(0.5) * log1p(z.re * (2 + z.re) + z.im * z.im);
  return {real, atan2(z.im, x)};
}
// Small exponents need no logarithm, which would cost the last digits: (1 + 2i)^2 is -3 + 4i.
template <class R>
inline Complex<R> pow(Complex<R> base, Complex<R> exponent) {
  if (exponent == 0 || base == 1) return {1, 0};
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  if (exponent == R(0.5)) return sqrt(base);
  if (exponent == R(-0.5)) return 1 / sqrt(base);
  if (exponent == -1) return 1 / base;
  if (exponent == -2) return 1 / (base * base);
  return library_pow(base, exponent);
}
template <class R>
inline Complex<R> sigmoid(Complex<R> z) {
  return 1 / (1 + exp(-z));
}
template <class R>
inline Complex<R> sinc(Complex<R> z) {
  Complex<R> scaled = z * R(3.14159265358979324);
  return z == 0 ? Complex<R>(1) : sin(scaled) / scaled;
}
template <class R>
inline Complex<R> lerp(Complex<R> start, Complex<R> end, Complex<R> weight) {
  bool near_start = hypot(weight.re, weight.im) < R(0.5);
  return near_start ? start + weight * (end - start) : end - (end - start) * (1 - weight);
}
// log(exp(a) + exp(b)) around the one with the larger real part; two equal infinities must not meet in a difference.
template <class R>
inline Complex<R> logaddexp(Complex<R> a, Complex<R> b) {
  Complex<R> larger = a.re > b.re ? a : b, smaller = a.re > b.re ? b : a;
  if (is_infinite(a.re) && a.re == b.re) return a.re < 0 ? smaller : log(exp(a) + exp(b));
  return larger + log1p(exp(smaller - larger));
}
template <class R>
inline bool is_infinite(Complex<R> z) {
  return is_infinite(z.re) || is_infinite(z.im);
}
