// Orthogonal polynomials by their recurrences. Computed in double; the degree n is rounded towards zero, and below zero
// the polynomial is zero.

// step(k, p_k, p_(k-1)) is p_(k+1); p_0 is 1. NaN, which overflow ends in, does not change any more. PyTorch would go
// on for ever at degrees that are larger still; infinity is no degree, which it takes as zero.
constexpr double kHighestDegree = 0x1p26;
inline bool is_degree(double n) { return n > -1 && n < 0x1p63; }
template <class Step>
double by_recurrence(double n, double first, Step step) {
  if (!is_degree(n)) return 0;
  if (n > kHighestDegree) return __builtin_nan("");
  double before = 1, now = n < 1 ? 1 : first;
  for (double k = 1, last = trunc(n); k < last && now == now; k += 1) {
    double next = step(k, now, before);
    before = now;
    now = next;
  }
  return now;
}

// The four kinds of Chebyshev polynomials have one recurrence and differ in p_1: x, 2x, 2x - 1 and 2x + 1.
enum class Chebyshev { T, U, V, W };
template <Chebyshev kind>
double chebyshev_cosine_form(double x, double n) {
  double angle = __builtin_acos(x);
  if constexpr (kind == Chebyshev::T) return __builtin_cos(n * angle);
  if constexpr (kind == Chebyshev::U) return __builtin_sin((n + 1) * angle) / __builtin_sin(angle);
  if constexpr (kind == Chebyshev::V) return __builtin_cos((n + 0.5) * angle) / __builtin_cos(angle / 2);
  return __builtin_sin((n + 0.5) * angle) / __builtin_sin(angle / 2);
}
template <Chebyshev kind>
double chebyshev(double x, double n) {
  double first = kind == Chebyshev::T ? x : 2 * x - (kind == Chebyshev::V) + (kind == Chebyshev::W);
  double degree = trunc(n);
  if (!is_degree(n)) return 0;
  if (abs(x) == 1 && n >= 1) {  // linear in n up to the sign
    double sign = x < 0 && __builtin_fmod(degree, 2) != 0 ? -1 : 1;
    return sign * (1 + degree * (x * first - 1));
  }
  if (abs(x) < 1 && n > 8) return chebyshev_cosine_form<kind>(x, degree);
  return by_recurrence(n, first, [x](double, double p, double before) { return 2 * x * p - before; });
}

#define CR_POLYNOMIAL(name, value)                         \
  inline double name(double x, double n) { return value; } \
  inline float name(float x, float n) { return float(name(double(x), double(n))); }
CR_POLYNOMIAL(special_chebyshev_polynomial_t, chebyshev<Chebyshev::T>(x, n))
CR_POLYNOMIAL(special_chebyshev_polynomial_u, chebyshev<Chebyshev::U>(x, n))
CR_POLYNOMIAL(special_chebyshev_polynomial_v, chebyshev<Chebyshev::V>(x, n))
CR_POLYNOMIAL(special_chebyshev_polynomial_w, chebyshev<Chebyshev::W>(x, n))
CR_POLYNOMIAL(special_shifted_chebyshev_polynomial_t, chebyshev<Chebyshev::T>(2 * x - 1, n))
CR_POLYNOMIAL(special_shifted_chebyshev_polynomial_u, chebyshev<Chebyshev::U>(2 * x - 1, n))
CR_POLYNOMIAL(special_shifted_chebyshev_polynomial_v, chebyshev<Chebyshev::V>(2 * x - 1, n))
CR_POLYNOMIAL(special_shifted_chebyshev_polynomial_w, chebyshev<Chebyshev::W>(2 * x - 1, n))
CR_POLYNOMIAL(special_hermite_polynomial_h,
              by_recurrence(n, 2 * x, [x](double k, double p, double before) { return 2 * (x * p - k * before); }))
CR_POLYNOMIAL(special_hermite_polynomial_he,
              by_recurrence(n, x, [x](double k, double p, double before) { return x * p - k * before; }))
CR_POLYNOMIAL(special_laguerre_polynomial_l, by_recurrence(n, 1 - x, [x](double k, double p, double before) {
                return ((2 * k + 1 - x) * p - k * before) / (k + 1);
              }))
CR_POLYNOMIAL(special_legendre_polynomial_p, by_recurrence(n, x, [x](double k, double p, double before) {
                return ((2 * k + 1) * x * p - k * before) / (k + 1);
              }))
#undef CR_POLYNOMIAL
