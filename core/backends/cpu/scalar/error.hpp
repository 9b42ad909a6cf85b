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

// The inverses of erf and erfc. As rational functions: (erfinv(x) - x) / x in c - x^2 where the result is below 1, and
// erfcinv(q) - v in v = sqrt(-log(q)) above. These corrections are small, so that their rounding errors hardly count.
template <class T>
struct InverseErrorFit;
template <>
struct InverseErrorFit<float> {
  // 2^-28
  static constexpr float central[] = {0.18667081f, 0.05648409f, -1.4911779f, -1.2237514f, -0.032439806f};
  static constexpr float central_under[] = {1.0f, 4.913222f, 6.5463934f, 2.0962937f};
  // up to v = 4.1, which is where q is the last bit of 1; 2^-30
  static constexpr float tail[] = {-0.0175393f, -0.86470704f, -0.695357f, -0.016313977f, 0.00034430112f};
  static constexpr float tail_under[] = {1.0f, 1.1377808f, 1.8104782f, 0.4383373f};
};
template <>
struct InverseErrorFit<double> {
  // 2^-54
  static constexpr double central[] = {0.18667080728916113, 1.0430810611705728,  0.2009757103019632,
                                       -8.213969979528272,  -17.476378224191123, -13.045887863135622,
                                       -3.4409091805287426, -0.21541612114637873};
  static constexpr double central_under[] = {1.0,
                                             10.19845311759824,
                                             39.97922122603845,
                                             75.89461717471109,
                                             72.3546551334813,
                                             32.596828087723544,
                                             5.812894328482253,
                                             0.25905265171032726};
  // up to v = 6.05; 2^-54
  static constexpr double tail[] = {-0.00048283128327241586, -0.993377630848028,      -1.2779999364464534,
                                    -2.0107179361829424,     -1.1928616289677534,     -0.17502105146900468,
                                    -0.006027785482260579,   -1.2592586862608503e-05, 5.262919660261786e-08};
  static constexpr double tail_under[] = {1.0,
                                          2.124055803033563,
                                          4.036897999625577,
                                          3.9922443659884363,
                                          3.2884879003960084,
                                          1.0280557122937217,
                                          0.09844343852309465,
                                          0.002287133331774169};
  // from there on to v = 27.3, which is where q is the smallest number; 2^-55
  static constexpr double far[] = {0.04319949980090338,     -1.0287063759768924,   -1.0627137106159088,
                                   -0.232102469800756,      -0.015572889203800332, -0.0003259507856320644,
                                   -1.6380787597093892e-06, -3.127416513068033e-10};
  static constexpr double far_under[] = {1.0,
                                         1.6777275478202531,
                                         2.4243674879641337,
                                         1.0652007251405717,
                                         0.15221599572625863,
                                         0.0075768064856095675,
                                         0.00012214143552980786,
                                         4.5682337017091265e-07};
};

// The t >= 0 with erf(t) = x and erfc(t) = q, from q where `by_q`; `far` where q may be smaller than any 1 - x.
template <bool far, class T>
CR_SCALAR T inverse_error(T x, T q, bool by_q) {
  using F = InverseErrorFit<T>;
  T log_q = log(q), v = sqrt(-log_q), below = T(0.71015625) - x * x;
  T lost = kFused ? T(0.5) * fma(v, v, log_q) / v : T(0);  // the rounding error of the root
  T over = polynomial(v, F::tail), under = polynomial(v, F::tail_under);
  if constexpr (far) {
    over = select(v > 6, polynomial(v, F::far), over);
    under = select(v > 6, polynomial(v, F::far_under), under);
  }
  over = select(by_q, over, x * polynomial(below, F::central));
  under = select(by_q, under, polynomial(below, F::central_under));
  T correction = over / under - select(by_q, lost, T(0));
  return select(q == 0, Format<T>::infinity, select(by_q, v, x) + correction);
}

template <class T>
CR_SCALAR T erfinv(T x) {
  T size = abs(x);
  return copysign(inverse_error<false>(size, 1 - size, !(size <= T(0.8427))), x);
}

// The inverse of ndtr.
CR_SCALAR double special_ndtri(double p) {
  double outside = p < 0.5 ? p : 1 - p;
  double t = inverse_error<true>(1 - 2 * outside, 2 * outside, !(outside >= 0.0787));
  return copysign(1.41421356237309505 * t, p - 0.5);
}
CR_SCALAR float special_ndtri(float p) { return float(special_ndtri(double(p))); }
