// The error function and its relatives, down to the inverse of the normal distribution.

template <class T>
struct ErrorFit;
template <>
struct ErrorFit<float> {
  // erf(x) / x - 1 in x^2 for |x| < 1, 2^-29
  static constexpr float small[] = {0.12837917f,   -0.37612626f,    0.112836f,    -0.026854446f,
                                    0.0051895366f, -0.00080208457f, 7.889119e-05f};
  // (1 + 2 t) erfcx(t) in u = (t - centre) / (t + centre) for all t >= 0, 2^-28
  static constexpr float centre = 3.0f;
  static constexpr float scaled[] = {1.253008f,     -0.13562106f,   -0.047562182f,  0.12964386f,
                                     -0.11927503f,  0.068318136f,   -0.023764312f,  0.0024952758f,
                                     0.0018759833f, -0.0007223976f, -9.292881e-05f, 7.5767115e-05f};
  static constexpr float vanishing = 10.1f;  // erfc is 0 from here on
  // -log(erfc(t)) / t for 0 <= t <= 4, where erf rounds to 1, 2^-28
  static constexpr float saturated = 4.0f;
  static constexpr float exponent[] = {1.1283792f,    0.6366194f,     0.10277783f,    -0.019153066f, -0.00016038674f,
                                       0.0016670126f, -0.0006328252f, 0.00011763689f, -9.25563e-06f};
};
template <>
struct ErrorFit<double> {
  // 2^-57
  static constexpr double small[] = {0.12837916709551256,     -0.3761263890318355,     0.11283791670945253,
                                     -0.02686617064327622,    0.005223977607423468,    -0.0008548325989696758,
                                     0.00012055295320494294,  -1.4924744663335489e-05, 1.6447517677871873e-06,
                                     -1.6209175911748696e-07, 1.3722976265924504e-08,  -7.801188874097751e-10};
  // 2^-56
  static constexpr double centre = 3.5;
  static constexpr double scaled[] = {
      1.2423492448711544,      -0.14000918013761973,   -0.01055559633221999,   0.09751909515328955,
      -0.11508959816011065,    0.08798315382397855,    -0.048823325829383694,  0.019099330953871948,
      -0.0042150198944282905,  -0.0003022679566970371, 0.0005643843517722057,  -0.00012151211078100271,
      -4.2782052906001294e-05, 2.4260282605768443e-05, 2.3280917425796684e-06, -3.8139943236224854e-06,
      -4.4326889202660605e-08, 6.014756807398011e-07,  -7.288894179265824e-09, -9.640447880839602e-08,
      -2.326735405873281e-10,  1.3629221762039072e-08, 4.100947906151165e-10,  -1.1669918261692575e-09,
      -5.950211881189069e-11};
  static constexpr double vanishing = 27.3;
  // 2^-55
  static constexpr double saturated = 6.0;
  static constexpr double exponent[] = {
      1.1283791670955126,      0.6366197723675856,      0.10277260330165489,    -0.019128447001618674,
      -0.00020919474117540962, 0.0016962067604302823,   -0.0005901275458774353, 2.588599303040777e-05,
      6.447198221309855e-05,   -2.9684100128245182e-05, 3.3460591771943776e-06, 2.907675285459949e-06,
      -1.808617032262364e-06,  3.8490969317032517e-07,  1.097672497803491e-07,  -1.2983874968588423e-07,
      6.18658690358264e-08,    -2.0102820124427334e-08, 4.906276750120235e-09,  -9.240360217847647e-10,
      1.3444082472990442e-10,  -1.4879374958471826e-11, 1.212689989643642e-12,  -6.864182427506762e-14,
      2.4095495168254044e-15,  -3.948811931908636e-17};
};

// exp(t^2) erfc(t) for t >= 0.
template <class T>
CR_SCALAR T scaled_erfc(T t) {
  using F = ErrorFit<T>;
  T u = 1 - 2 * F::centre / (t + F::centre);  // right for infinity too
  return T(0.5) * polynomial(u, F::scaled) / (t + T(0.5));
}

// exp(-t^2), with the rounding error of t^2 taken back in; t is split where it cannot be fused.
CR_SCALAR float exp_of_minus_square(float t) {
  double square = double(t) * t;
  float high = float(square), low = float(square - high);
  float e = exp(-high);
  return fma(e, -low, e);
}
CR_SCALAR double exp_of_minus_square(double t) {
  double high = t * t, low;
  if constexpr (kFused) {
    low = fma(t, t, -high);
  } else {
    double top = from_bits(bits(t) & 0xfffffffff8000000u), rest = t - top;
    low = ((top * top - high) + 2 * top * rest) + rest * rest;
  }
  double e = exp(-high);
  return fma(e, -low, e);
}

template <class T>
CR_SCALAR T erfc_of_positive(T t) {
  T limited = t > ErrorFit<T>::vanishing ? ErrorFit<T>::vanishing : t;
  return scaled_erfc(limited) * exp_of_minus_square(limited);
}
template <class T>
CR_SCALAR T erf_of_small(T x) {
  return fma(x, polynomial(x * x, ErrorFit<T>::small), x);
}

// erf(t) = 1 - exp(-t q(t)), evaluated like expm1, so that small results keep their relative accuracy.
template <class T>
CR_SCALAR T erf(T x) {
  using F = Format<T>;
  T size = abs(x), t = size > ErrorFit<T>::saturated ? ErrorFit<T>::saturated : size;
  auto [shifted_k, p] = reduce_exponential(-t * polynomial(t, ErrorFit<T>::exponent));
  T power = power_of_two<T>(bits(shifted_k) - bits(F::round_shift) + F::bias);
  return copysign(fma(-power, p, 1 - power), x);
}

template <class T>
CR_SCALAR T erfc(T x) {
  T size = abs(x), positive = erfc_of_positive(size);
  T large = select(x < 0, 2 - positive, positive);
  return select(size < T(0.5), 1 - erf_of_small(x), large);
}

template <class T>
CR_SCALAR T special_erfcx(T x) {
  T size = abs(x), positive = scaled_erfc(size), grown = exp(x * x);
  T negative = 2 * grown - positive;
  return select(x < 0, negative, positive);
}

// The normal distribution: ndtr(x) = erfc(-x / sqrt(2)) / 2.
template <class T>
CR_SCALAR T special_ndtr(T x) {
  T z = x * T(0.707106781186547524), size = abs(z), half = T(0.5) * erfc_of_positive(size);
  T tails = select(z > 0, 1 - half, half);
  return select(size < 1, T(0.5) + T(0.5) * erf_of_small(z), tails);
}
template <class T>
CR_SCALAR T special_log_ndtr(T x) {
  T z = x * T(0.707106781186547524);
  T left = log(T(0.5) * scaled_erfc(abs(z))) - z * z, right = log1p(T(-0.5) * erfc(z));
  return select(x < -1, left, right);
}

// erfinv from polynomials good to 2^-20, then Newton's method on the error function itself, all in double.
struct InverseErrorFit {
  // erfinv(x) / x in x^2 for |x| < 3/4, 2^-29
  static constexpr double central[] = {0.8862269264780304,  0.2320132435560064,  0.12758491148485215,
                                       0.08579467505642821, 0.07512099661342729, -0.026910061214707664,
                                       0.41601084301594926, -1.071592970175595,  2.053984260070476,
                                       -2.074183775333529,  1.010730386064412};
  // erfinv(x) in w - 3 with w = sqrt(-log(1 - x^2)) for all larger x < 1, 2^-20
  static constexpr double tail[] = {2.832803408960702,      1.002659614034327,     0.006822907730206795,
                                    -0.0034340614974858533, 0.00119034305544026,   -0.00023897997321888632,
                                    -7.693054869930578e-05, 7.212658693283974e-05, -9.222454431102747e-06,
                                    -5.703410669483667e-06, 1.414360562793693e-06, 1.3491440202485683e-07,
                                    -4.554421273173325e-08};
};
// One step towards erf(t) = x for small t, and towards log(erfc(t)) = log_q for the rest.
CR_SCALAR double improve_erfinv(double t, double x) {
  return t - (erf_of_small(t) - x) * 0.886226925452758014 * exp(t * t);
}
CR_SCALAR double improve_erfcinv(double t, double log_q) {
  double scaled = scaled_erfc(t), error = (log(scaled) - t * t) - log_q;
  return t + error * scaled * 0.886226925452758014;
}
CR_SCALAR double erfinv_by_newton(double x, bool twice) {
  double size = abs(x), central = size > 0.75 ? 0.75 : size, outer = size > 0.75 ? size : 0.75;
  double inside = central * polynomial(central * central, InverseErrorFit::central);
  double log_q = log(1 - outer), w = sqrt(-(log_q + log1p(outer)));
  double outside = polynomial(w - 3, InverseErrorFit::tail);
  inside = improve_erfinv(inside, central);
  outside = improve_erfcinv(outside, log_q);
  if (twice) outside = improve_erfcinv(outside, log_q);
  double result = select(size > 0.75, outside, inside);
  result = select(size == 1, Format<double>::infinity, result);
  return select(size <= 1, copysign(result, x), Format<double>::nan);
}
CR_SCALAR double erfinv(double x) { return erfinv_by_newton(x, true); }
CR_SCALAR float erfinv(float x) { return float(erfinv_by_newton(double(x), false)); }

// The inverse of ndtr. Small p go by erfc alone, since p may be far below 1 - erf: from erfinv's polynomial as far as
// that goes, then from the leading term.
inline double erfcinv_of_small(double q) {
  double log_q = log(q), w = sqrt(-(log_q + log(2 - q)));
  bool fits = w < 6;
  double t = fits ? polynomial(w - 3, InverseErrorFit::tail) : sqrt(-log_q);
  for (int step = fits ? 4 : 0; step < 6; ++step) t = improve_erfcinv(t, log_q);
  return t;
}
inline double special_ndtri(double p) {
  constexpr double sqrt2 = 1.41421356237309505;
  if (p == 0 || p == 1) return p == 0 ? -Format<double>::infinity : Format<double>::infinity;
  if (!(p > 0 && p < 1)) return Format<double>::nan;
  if (p < 0.125) return -sqrt2 * erfcinv_of_small(2 * p);
  if (p > 0.875) return sqrt2 * erfcinv_of_small(2 * (1 - p));
  return sqrt2 * erfinv(2 * p - 1);
}
inline float special_ndtri(float p) { return float(special_ndtri(double(p))); }
