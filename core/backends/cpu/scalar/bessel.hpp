// Modified Bessel functions of the first kind, of order 0 and 1, plain and scaled by exp(-|x|). Computed in double.

// Both series below serve both orders; the power series has no negative terms, so nothing cancels.
inline double bessel_power_series(double size, int order) {
  double z = size * size / 4, term = order == 0 ? 1.0 : size / 2, sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= z / (double(k) * (k + order));
    sum += term;
  }
  return sum;
}
// Hankel's expansion of sqrt(2 pi x) exp(-x) I(x); from 20 on its smallest term is below the rounding error.
inline double bessel_asymptotic(double size, int order) {
  double term = 1, sum = 1, mu = 4.0 * order;
  for (int k = 1; k < 40 && abs(term) > 1e-17; ++k) {
    double odd = 2 * k - 1;
    term *= -(mu - odd * odd) / (k * 8 * size);
    sum += term;
  }
  return sum / (2.50662827463100050242 * sqrt(size));  // sqrt(2 pi) apart, so that nothing overflows
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

#define CR_BESSEL(name, order, scaled)                              \
  inline double name(double x) { return bessel(x, order, scaled); } \
  inline float name(float x) { return float(bessel(double(x), order, scaled)); }
CR_BESSEL(i0, 0, false)
CR_BESSEL(special_i0e, 0, true)
CR_BESSEL(special_i1, 1, false)
CR_BESSEL(special_i1e, 1, true)
#undef CR_BESSEL
