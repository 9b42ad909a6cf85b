// Exponentials, logarithms and powers, as branch-free polynomials that vectorise.
//
// The constants are minimax fits made for this file; the error of each fit is beside it.

template <class T>
struct ExponentialFit;
template <>
struct ExponentialFit<float> {
  static constexpr float log2_e = 1.44269504f;
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;  // 16 bits: k * ln2_high is exact
  static constexpr float lowest = -104.0f, highest = 89.0f;                   // beyond: 0 and inf after rounding
  static constexpr float lowest2 = -151.0f, highest2 = 129.0f;
  // (exp(r) - 1 - r) / r^2 for |r| < ln(2) / 2, 2^-28
  static constexpr float tail[] = {0.5f, 0.16666518f, 0.041666206f, 0.008368955f, 0.001395051f};
  // (2^r - 1) / r for |r| < 1/2, 2^-29
  static constexpr float base2[] = {0.6931472f, 0.2402265f, 0.05550327f, 0.009618003f, 0.0013400537f, 0.00015476669f};
};
template <>
struct ExponentialFit<double> {
  static constexpr double log2_e = 1.4426950408889634;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // 42 bits
  static constexpr double lowest = -746.0, highest = 710.0;
  static constexpr double lowest2 = -1076.0, highest2 = 1025.0;
  // 2^-58
  static constexpr double tail[] = {0.5000000000000013,    0.166666666666667,      0.041666666666514335,
                                    0.008333333333307168,  0.001388888894732963,   0.00019841269917503858,
                                    2.480148959143923e-05, 2.7557216169916988e-06, 2.7631413698960674e-07,
                                    2.5117907926571138e-08};
  // 2^-64
  static constexpr double base2[] = {0.6931471805599453,     0.24022650695910072,    0.0555041086648217,
                                     0.009618129107628496,   0.0013333558146389867,  0.00015403530393340447,
                                     1.5252733856823798e-05, 1.3215486833577584e-06, 1.017805094903084e-07,
                                     7.054888061317455e-09,  4.456715234638866e-10,  2.5742066057021088e-11};
};

// x * 2^k for an integer k given as round_shift + k; in two steps, so that results may overflow or be subnormal.
template <class T>
CR_SCALAR T scale(T x, T shifted_k) {
  using F = Format<T>;
  using Bits = BitsOf<T>;
  Bits k = bits(shifted_k) - bits(F::round_shift) + 4 * F::bias;  // positive, so that a logical shift halves it
  Bits half = k >> 1;
  return x * power_of_two<T>(half - F::bias) * power_of_two<T>(k - half - F::bias);
}

// exp(x) - 1 = 2^k (1 + p) - 1, where k is within int range for x already limited.
template <class T>
struct ReducedExponential {
  T shifted_k, p;
};
template <class T>
CR_SCALAR ReducedExponential<T> reduce_exponential(T x) {
  using E = ExponentialFit<T>;
  T shifted = fma(x, E::log2_e, Format<T>::round_shift);
  T k = shifted - Format<T>::round_shift;
  T r = fma(k, -E::ln2_low, fma(k, -E::ln2_high, x));
  return {shifted, fma(r * r, polynomial(r, E::tail), r)};
}

// What vanishes (a masked score of -inf, say) is not calculated: rounding a subnormal number takes a hundred cycles.
template <class T>
CR_SCALAR T exp(T x) {
  using E = ExponentialFit<T>;
  bool vanishes = x < E::lowest;
  auto [shifted_k, p] = reduce_exponential(select(vanishes, T(0), x > E::highest ? E::highest : x));
  return select(vanishes, T(0), scale(1 + p, shifted_k));
}

template <class T>
CR_SCALAR T exp2(T x) {
  using E = ExponentialFit<T>;
  x = limit(x, E::lowest2, E::highest2);
  T shifted = x + Format<T>::round_shift;
  T r = x - (shifted - Format<T>::round_shift);
  return scale(fma(r, polynomial(r, E::base2), T(1)), shifted);
}

// a * 2^b in two steps: the power alone may overflow where the product does not.
template <class T>
CR_SCALAR T ldexp(T a, T b) {
  using E = ExponentialFit<T>;
  b = limit(b, 4 * E::lowest2, 4 * E::highest2);  // half of it still overflows, and the rest is not inf - inf
  T half = trunc(b * T(0.5));
  return a * exp2(half) * exp2(b - half);
}

// 2^k p + (2^k - 1), halved so that the largest results do not overflow on the way.
template <class T>
CR_SCALAR T expm1(T x) {
  using E = ExponentialFit<T>;
  using F = Format<T>;
  bool tiny = abs(x) < F::epsilon / 4;  // its square would be subnormal, which is slow
  auto [shifted_k, p] = reduce_exponential(limit(select(tiny, T(0), x), T(-2 * (F::mantissa + 1)), E::highest));
  T half_power = power_of_two<T>(bits(shifted_k) - bits(F::round_shift) + F::bias - 1);
  T result = 2 * fma(half_power, p, half_power - T(0.5));
  return select(tiny, x, result);
}

template <class T>
struct LogarithmFit;
template <>
struct LogarithmFit<float> {
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f, sqrt_half = 0.70710678f;
  // (log(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) <= 1 + f < sqrt(2), 2^-30
  static constexpr float tail[] = {0.3333331f,  -0.24999987f, 0.20002227f,  -0.16669251f, 0.1421867f,
                                   -0.1238434f, 0.11872892f,  -0.11789828f, 0.069155656f};
};
template <>
struct LogarithmFit<double> {
  static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, sqrt_half = 0.7071067811865476;
  // (2 atanh(s) - 2 s) / s^3 in s^2 for the same range of s = f / (2 + f), 2^-58
  static constexpr double tail[] = {0.6666666666666735, 0.3999999999940755, 0.28571428744130806, 0.22222198379330294,
                                    0.181835751323127,  0.1531375635208225, 0.14799062430459392};
};

// x = 2^e (1 + f) for a positive normal x, with 1 + f in [sqrt(1/2), sqrt(2)).
template <class T>
struct Decomposed {
  T e, f;
  BitsOf<T> biased_e;
};
template <class T>
CR_SCALAR Decomposed<T> decompose(T x) {
  using F = Format<T>;
  BitsOf<T> biased = (bits(x) + (bits(T(1)) - bits(LogarithmFit<T>::sqrt_half))) >> F::mantissa;
  T m = from_bits(BitsOf<T>(bits(x) - ((biased - F::bias) << F::mantissa)));
  // An integer becomes a float by sitting in the low bits of 2^mantissa.
  constexpr T anchor = T(BitsOf<T>(1) << F::mantissa);
  T e = from_bits(BitsOf<T>(bits(anchor) + biased)) - (anchor + T(F::bias));
  return {e, m - 1, biased};
}

// log(1 + f) - f, and with it e ln(2) + log(1 + f) in the order that loses least.
CR_SCALAR float log_remainder(float f) {
  float square = f * f;
  return fma(square * f, polynomial(f, LogarithmFit<float>::tail), -0.5f * square);
}
CR_SCALAR double log_remainder(double f) {
  double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
  return s * fma(z, polynomial(z, LogarithmFit<double>::tail), half_square) - half_square;
}
template <class T>
CR_SCALAR T log_of(T e, T f) {
  using L = LogarithmFit<T>;
  return fma(e, L::ln2_high, f + fma(e, L::ln2_low, log_remainder(f)));
}

// The results of a logarithm that its formula does not give.
template <class T>
CR_SCALAR T log_special(T x, T result) {
  result = x == Format<T>::infinity ? x : result;
  result = x == 0 ? -Format<T>::infinity : result;
  return x >= 0 ? result : Format<T>::nan;
}

// Subnormals are brought into the normal range first; `shift` is what to subtract from e for it.
template <class T>
struct Normalised {
  T x, shift;
};
template <class T>
CR_SCALAR Normalised<T> normalise(T x) {
  constexpr T factor = T(BitsOf<T>(1) << Format<T>::mantissa);
  bool tiny = x < Format<T>::smallest_normal;
  return {select(tiny, x * factor, x), select(tiny, T(Format<T>::mantissa), T(0))};
}

template <class T>
CR_SCALAR T log(T x) {
  auto [normal, shift] = normalise(x);
  auto [e, f, unused] = decompose(normal);
  return log_special(x, log_of(e - shift, f));
}

template <class T>
CR_SCALAR T log2(T x) {
  constexpr T log2_e = T(1.4426950408889634), log2_e_low = T(1.4426950408889634074L - (long double)log2_e);
  auto [normal, shift] = normalise(x);
  auto [e, f, unused] = decompose(normal);
  T remainder = log_remainder(f);
  T fraction = fma(f, log2_e, fma(remainder, log2_e, (f + remainder) * log2_e_low));
  return log_special(x, (e - shift) + fraction);
}

template <class T>
CR_SCALAR T log10(T x) {
  constexpr T log10_e = T(0.4342944819032518), log10_e_low = T(0.43429448190325182765L - (long double)log10_e);
  constexpr T log10_2_high = T(0x1.344p-2), log10_2_low = T(0.30102999566398119521L - (long double)log10_2_high);
  auto [normal, shift] = normalise(x);
  auto [e, f, unused] = decompose(normal);
  e = e - shift;
  T remainder = log_remainder(f);
  T fraction = fma(f, log10_e, fma(remainder, log10_e, fma(e, log10_2_low, (f + remainder) * log10_e_low)));
  return log_special(x, fma(e, log10_2_high, fraction));
}

// 1 + x loses the low bits of x; they are added to f, scaled like it.
template <class T>
CR_SCALAR T log1p(T x) {
  using F = Format<T>;
  bool tiny = abs(x) < F::epsilon / 4;
  T safe = select(tiny, T(0), x), u = 1 + safe, lost = select(safe < 1, safe - (u - 1), 1 - (u - safe));
  auto [e, f, biased] = decompose(u);
  T unscale = power_of_two<T>(biased < 2 * F::bias ? 2 * F::bias - biased : 0);
  T result = log_special(u, log_of(e, fma(lost, unscale, f)));
  return select(tiny, x, result);
}

// In double, so that the logarithm keeps the bits that the exponential magnifies.
CR_SCALAR float positive_pow(float x, float y) {
  auto [e, f, unused] = decompose(double(x));
  double power = y * fma(log_remainder(f) + f, 1.4426950408889634, e);
  return float(exp2(limit(power, -200.0, 200.0)));
}
CR_SCALAR double positive_pow(double x, double y) { return __builtin_pow(x, y); }

CR_SCALAR double pow(double x, double y) { return __builtin_pow(x, y); }
CR_SCALAR float pow(float x, float y) {
  using F = Format<float>;
  float size = abs(x), result = positive_pow(size, y);
  bool integral = __builtin_truncf(y) == y, odd = integral & (__builtin_truncf(0.5f * y) != 0.5f * y);
  float at_zero = select(y > 0, 0.0f, F::infinity), at_infinity = select(y > 0, F::infinity, 0.0f);
  result = size == 0 ? at_zero : size == F::infinity ? at_infinity : result;
  // An infinite exponent: the base alone decides between 0, 1 and infinity.
  float at_infinite_y = select(size == 1, 1.0f, select((size > 1) == (y > 0), F::infinity, 0.0f));
  result = abs(y) == F::infinity ? at_infinite_y : result;
  result = (x < 0) & !integral & (size != F::infinity) ? F::nan : result;
  result = odd ? copysign(result, x) : result;
  result = (x != x) | (y != y) ? x + y : result;
  return (y == 0) | (x == 1) ? 1.0f : result;
}

template <class T>
CR_SCALAR T sigmoid(T x) {
  return 1 / (1 + exp(-x));
}
