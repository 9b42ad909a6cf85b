// Bessel functions of order 0 and 1: the modified ones, plain and scaled by exp(-|x|) or exp(x), and those of the C
// library. Computed in double.

// Both series below serve both orders; the power series has no negative terms, so nothing cancels.
inline double bessel_power_series(double size, int order) {
  double z = size * size / 4, term = order == 0 ? 1.0 : size / 2, sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= z / (double(k) * (k + order));
    sum += term;
  }
  return sum;
}
// Hankel's expansion of sqrt(2 pi x) exp(-x) I(x), with sign 1 of sqrt(2 x / pi) exp(x) K(x); from 20 on its smallest
// term is below the rounding error.
inline double hankel_sum(double size, double order, int sign) {
  double term = 1, sum = 1, mu = 4 * order * order;
  for (int k = 1; k < 40 && abs(term) > 1e-17; ++k) {
    double odd = 2 * k - 1;
    term *= sign * (mu - odd * odd) / (k * 8 * size);
    sum += term;
  }
  return sum;
}
inline double bessel_asymptotic(double size, int order) {
  return hankel_sum(size, order, -1) / (2.50662827463100050242 * sqrt(size));  // sqrt(2 pi) apart: nothing overflows
}
inline double bessel(double x, int order, bool scaled) {
  double size = abs(x), sign = order == 1 && x < 0 ? -1.0 : 1.0;
  if (size == Format<double>::infinity) return scaled ? sign * 0 : sign * size;
  if (size < 20) return sign * bessel_power_series(size, order) * (scaled ? exp(-size) : 1.0);
  double asymptotic = sign * bessel_asymptotic(size, order);
  if (scaled) return asymptotic;
  double half = exp(size / 2);  // twice half the exponent: overflow comes only with the result
  return asymptotic * half * half;
}

// exp(x) K(x): the integral over t from 0 of exp(-x (cosh t - 1)) cosh(order t), by the trapezoidal rule. The integrand
// is analytic and falls off fast, so this step leaves no error below 20; the terms are positive, so nothing cancels.
inline double scaled_bessel_k(double x, double order) {
  if (x >= 20) return 1.25331413731550025121 * hankel_sum(x, order, 1) / sqrt(x);
  constexpr double step = 0.125, factor = 1.13314845306682631683;  // exp(step)
  double power = exp(order * step), e = 1, c = 1, sum = 0.5, term = 1;
  for (int k = 0; k < 400 && term > sum * 1e-17; ++k) {
    e *= factor;
    c *= power;
    term = exp(-x * (e - 1) * (1 - 1 / e) / 2) * (c + 1 / c) / 2;
    sum += term;
  }
  return step * sum;
}
inline double bessel_k(double x, int order, bool scaled) {
  if (!(x > 0)) return x == 0 ? Format<double>::infinity : Format<double>::nan;
  if (x == Format<double>::infinity) return 0;
  if (x >= 1e-8) return scaled_bessel_k(x, order) * (scaled ? 1.0 : exp(-x));
  double value = order == 0 ? -log(x / 2) - 0.577215664901532860607 : 1 / x;
  return scaled ? value * (1 + x) : value;
}

// Functions of the C library, to the last digits in double. Infinity: the limit, where PyTorch has NaN.
inline double bessel_j(double x, int order) { return order == 0 ? __builtin_j0(x) : __builtin_j1(x); }
inline double bessel_y(double x, int order) {
  if (x < 0) return Format<double>::nan;
  return order == 0 ? __builtin_y0(x) : __builtin_y1(x);
}
inline double spherical_bessel_j0(double x) { return x == 0 ? 1.0 : is_infinite(x) ? 0.0 : __builtin_sin(x) / x; }

#define CR_BESSEL(name, value)                   \
  inline double name(double x) { return value; } \
  inline float name(float f) {                   \
    double x = double(f);                        \
    return float(value);                         \
  }
CR_BESSEL(i0, bessel(x, 0, false))
CR_BESSEL(special_i0e, bessel(x, 0, true))
CR_BESSEL(special_i1, bessel(x, 1, false))
CR_BESSEL(special_i1e, bessel(x, 1, true))
CR_BESSEL(special_bessel_j0, bessel_j(x, 0))
CR_BESSEL(special_bessel_j1, bessel_j(x, 1))
CR_BESSEL(special_bessel_y0, bessel_y(x, 0))
CR_BESSEL(special_bessel_y1, bessel_y(x, 1))
CR_BESSEL(special_modified_bessel_k0, bessel_k(x, 0, false))
CR_BESSEL(special_modified_bessel_k1, bessel_k(x, 1, false))
CR_BESSEL(special_scaled_modified_bessel_k0, bessel_k(x, 0, true))
CR_BESSEL(special_scaled_modified_bessel_k1, bessel_k(x, 1, true))
CR_BESSEL(special_spherical_bessel_j0, spherical_bessel_j0(x))
#undef CR_BESSEL
