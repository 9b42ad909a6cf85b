// The gamma function's relatives. All compute in double: they are rare, and a float then comes out rounded once.

inline constexpr double kPi = 3.14159265358979323846;

inline double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);  // lgamma itself writes a global variable
}
// Stirling's series from 8 on, to where smaller numbers are raised by recurrence; below 1/2, reflection. In double the
// differences of logarithms are exact enough also near 1 and 2, where the result is almost 0.
CR_SCALAR float lgamma(float value) {
  constexpr double series[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400};
  const double x = value, positive = x < 0.5 ? 1 - x : x;
  const bool is_small = positive < 8;
  const double low = is_small ? positive : 8.0;
  const double product =
      (low * (low + 1)) * ((low + 2) * (low + 3)) * (((low + 4) * (low + 5)) * ((low + 6) * (low + 7)));
  const double z = is_small ? positive + 8 : positive, inverse = 1 / z;
  const double stirling =
      (z - 0.5) * log(z) - z + 0.918938533204672742 + inverse * polynomial(inverse * inverse, series);
  const double above = stirling - (is_small ? log(product) : 0.0);
  const double below = log(kPi / abs(sin(kPi * (x - __builtin_rint(x))))) - above;
  const float result = (x == 1) | (x == 2) ? 0.0f : float(x < 0.5 ? below : above);
  return is_infinite(value) ? Format<float>::infinity : result;
}

// psi(x) ~ log(x) - 1 / 2x - sum B(2k) / (2k x^2k), after x has been raised by recurrence.
inline double digamma_of_positive(double x) {
  constexpr double bernoulli[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  double inverse = 1 / (x * x);
  return result + log(x) - 0.5 / x - inverse * polynomial(inverse, bernoulli);
}
inline double digamma(double x) {
  if (x == 0) return copysign(Format<double>::infinity, -x);
  if (x > 0) return digamma_of_positive(x);
  if (x == trunc(x)) return Format<double>::nan;
  double fraction = x - trunc(x);  // tan has the period 1 here; a small argument is an exact one
  return digamma_of_positive(1 - x) - kPi / __builtin_tan(kPi * fraction);
}
inline float digamma(float x) { return float(digamma(double(x))); }

// Hurwitz's zeta(s, q) by Euler-Maclaurin: nine terms or more in full, then the integral and its corrections. A
// negative q takes an integer s; its large terms of either sign cancel in one running sum, before the small ones are
// added.
inline double zeta_sum(double s, double q) {
  // B(2k) / (2k)!
  constexpr double correction[] = {1.0 / 12.0,
                                   -1.0 / 720.0,
                                   1.0 / 30240.0,
                                   -1.0 / 1209600.0,
                                   1.0 / 47900160.0,
                                   -691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0,
                                   -3.3896802963225827e-13,
                                   8.586062056277845e-15,
                                   -2.174868698558062e-16,
                                   5.5090028283602295e-18,
                                   -1.3954464685812522e-19};
  double sum = 0, at = q;
  for (int i = 0; i < 9 || at <= 9; ++i, at += 1) sum += __builtin_pow(at, -s);
  double power = __builtin_pow(at, -s);
  sum += power * at / (s - 1) + 0.5 * power;
  double factor = s * power / at;
  for (int k = 0; k < 12; ++k) {
    double term = factor * correction[k];
    sum += term;
    if (abs(term) < 1e-17 * abs(sum)) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (at * at);
  }
  return sum;
}
inline double special_zeta(double s, double q) {
  if (s != s || q != q) return s + q;
  if (s == 1) return Format<double>::infinity;
  if (s < 1) return Format<double>::nan;
  if (s == Format<double>::infinity && q > 0) return q == 1 ? 1.0 : q > 1 ? 0.0 : s;
  if (q <= 0) {
    if (q == floor(q)) return Format<double>::infinity;
    if (s != floor(s)) return Format<double>::nan;
  }
  return zeta_sum(s, q);
}
inline float special_zeta(float s, float q) { return float(special_zeta(double(s), double(q))); }

// psi'(x) ~ 1 / x + 1 / 2x^2 + sum B(2k) / x^(2k + 1), after x has been raised by recurrence.
inline double trigamma_of_positive(double x) {
  constexpr double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  double result = 0;
  for (; x < 10; x += 1) result += 1 / (x * x);
  double inverse = 1 / (x * x);
  return result + 1 / x + inverse / 2 + inverse / x * polynomial(inverse, bernoulli);
}
// By reflection for negative x: psi'(1 - x) + psi'(x) = pi^2 / sin^2(pi x).
inline double trigamma(double x) {
  if (x > 0) return trigamma_of_positive(x);
  double sine = __builtin_sin(kPi * (x - trunc(x)));
  return kPi * kPi / (sine * sine) - trigamma_of_positive(1 - x);
}
inline double polygamma(double x, double n) {
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  double factorial = __builtin_tgamma(n + 1), value = special_zeta(n + 1, x);
  return (int64_t(n) % 2 != 0 ? factorial : -factorial) * value;
}
inline float polygamma(float x, float n) { return float(polygamma(double(x), double(n))); }

// exp(-x) x^a / gamma(a + 1), in logarithms where the factors would overflow.
inline double gamma_density(double a, double x) { return exp(a * log(x) - x - lgamma(a + 1)); }

// The lower part as a series in x, and the upper one as a continued fraction (Lentz's method).
inline double lower_gamma_series(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * 1e-17; n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum * gamma_density(a, x);
}
inline double upper_gamma_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / (b == 0 ? tiny : b), product = d;
  for (int i = 1; i < 100000; ++i) {
    double numerator = -double(i) * (i - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (d == 0 ? tiny : d);
    c = b + numerator / c;
    c = c == 0 ? tiny : c;
    double change = c * d;
    product *= change;
    if (abs(change - 1) < 1e-16) break;
  }
  return product * a * gamma_density(a, x);
}
struct IncompleteGamma {
  double lower, upper;
};
// Temme's expansion for large a, where the series is long and its first factor inexact. With m = x / a - 1 and
// eta^2 / 2 = m - log(1 + m), the upper part is erfc(eta sqrt(a / 2)) / 2, and a small rest in powers of 1 / a.
inline IncompleteGamma incomplete_gamma_of_large(double a, double x) {
  constexpr double first[] = {-1.0 / 3,     1.0 / 12,          -2.0 / 135,  1.0 / 864,
                              1.0 / 2835.0, -139.0 / 777600.0, 1.0 / 25515, -571.0 / 261273600.0};
  constexpr double second[] = {-1.0 / 540, -1.0 / 288, 25.0 / 12096, -223.0 / 1088640.0};
  const double m = (x - a) / a;
  if (abs(m) > 0.1) return m > 0 ? IncompleteGamma{1, 0} : IncompleteGamma{0, 1};
  double half_square = 0, power = m;
  for (int k = 2; k < 20; ++k) {
    power *= -m;
    half_square -= power / k;
  }
  const double eta = copysign(sqrt(2 * half_square), m), z = copysign(sqrt(a * half_square), m);
  const double rest =
      exp(-a * half_square) / sqrt(2 * kPi * a) * (polynomial(eta, first) + polynomial(eta, second) / a);
  return {0.5 * __builtin_erfc(-z) - rest, 0.5 * __builtin_erfc(z) + rest};
}
inline IncompleteGamma incomplete_gamma(double a, double x) {
  constexpr double nan = Format<double>::nan, infinity = Format<double>::infinity;
  if (!(a >= 0) || !(x >= 0)) return {nan, nan};
  if (a == 0) return x > 0 ? IncompleteGamma{1, 0} : IncompleteGamma{nan, nan};
  if (x == 0) return {0, 1};
  if (a == infinity) return x == infinity ? IncompleteGamma{nan, nan} : IncompleteGamma{0, 1};
  if (x == infinity) return {1, 0};
  if (a > 1e6) return incomplete_gamma_of_large(a, x);
  if (x < a + 1) {
    double lower = lower_gamma_series(a, x);
    return {lower, 1 - lower};
  }
  double upper = upper_gamma_fraction(a, x);
  return {1 - upper, upper};
}
inline double igamma(double a, double x) { return incomplete_gamma(a, x).lower; }
inline double igammac(double a, double x) { return incomplete_gamma(a, x).upper; }
inline float igamma(float a, float x) { return float(igamma(double(a), double(x))); }
inline float igammac(float a, float x) { return float(igammac(double(a), double(x))); }
