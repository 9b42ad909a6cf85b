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
// Hankel's expansion of sqrt(2 pi x) exp(-x) I(x); from 20 on its smallest term is below the rounding error.
inline double hankel_sum(double size, double order) {
  double term = 1, sum = 1, mu = 4 * order * order;
  for (int k = 1; k < 40 && abs(term) > 1e-17; ++k) {
    double odd = 2 * k - 1;
    term *= (odd * odd - mu) / (k * 8 * size);
    sum += term;
  }
  return sum;
}
inline double bessel_asymptotic(double size, int order) {
  return hankel_sum(size, order) / (2.50662827463100050242 * sqrt(size));  // sqrt(2 pi) apart: nothing overflows
}
inline double bessel(double x, int order, bool scaled) {
  double size = abs(x), sign = order == 1 && x < 0 ? -1.0 : 1.0;
  if (size == Format<double>::infinity) return scaled ? sign * 0 : Format<double>::nan;  // PyTorch's, not the limit
  if (size < 20) return sign * bessel_power_series(size, order) * (scaled ? exp(-size) : 1.0);
  double asymptotic = sign * bessel_asymptotic(size, order);
  if (scaled) return asymptotic;
  double half = exp(size / 2);  // twice half the exponent: overflow comes only with the result
  return asymptotic * half * half;
}

// K for x <= 1 by two functions of z = x^2, `growing` times the logarithm and the rest; for larger x by a rational
// function of 1 / x for sqrt(x) exp(x) K(x). All fits are good to 2^-55.
struct BesselK0Fit {
  static constexpr double growing[] = {1.0,
                                       0.25000000000000006,
                                       0.015624999999999273,
                                       0.00043402777778369853,
                                       6.781684004197334e-06,
                                       6.781689114128826e-08,
                                       4.708896418033765e-10,
                                       2.440350296624504e-12};
  static constexpr double rest[] = {-0.5772156649015329,   0.10569608377461687,   0.014418505235911762,
                                    0.0005451899602709092, 1.021401408153282e-05, 1.1570362411179816e-07,
                                    8.81854244887192e-10,  4.924794346742504e-12};
  static constexpr double far[] = {1.2533141373155001, 18.687384606148054, 102.67568540235693,
                                   264.71966490894636, 338.273854235337,   208.39672852665737,
                                   55.57658786095074,  4.976188110127842,  0.06941238318345685};
  static constexpr double far_under[] = {1.0,
                                         15.035375659030642,
                                         83.73245360977752,
                                         220.69835760887952,
                                         292.5924139072404,
                                         192.00633685940213,
                                         57.3874232730744,
                                         6.4576343028991205,
                                         0.16899712154338908};
};
struct BesselK1Fit {
  static constexpr double growing[] = {0.5,
                                       0.0625,
                                       0.002604166666666625,
                                       5.4253472222559135e-05,
                                       6.781684014451407e-07,
                                       5.651406214802939e-09,
                                       3.363591409931826e-11,
                                       1.522671523686926e-13};
  static constexpr double rest[] = {0.03860783245076643,    -0.04204902094365421,    -0.0028371119837631684,
                                    -7.49304290612333e-05,  -1.0892182493155442e-06, -1.011291793869623e-08,
                                    -6.539295553089107e-11, -3.1710901143986276e-13};
  static constexpr double far[] = {1.2533141373155003, 18.43649032024592,  100.92966103254173,
                                   264.2218550263699,  354.79333870021395, 243.89698687026257,
                                   80.53981185027703,  10.83144387373934,  0.3824879642532006};
  static constexpr double far_under[] = {1.0,
                                         14.335190981915732,
                                         75.27170914670394,
                                         184.16901395379168,
                                         221.51592887593068,
                                         127.18667854617647,
                                         31.19214438826176,
                                         2.504603523396289,
                                         0.02798125868403649};
};
// exp(x) K(x) for x >= 1.
template <class Fit>
double scaled_bessel_k(double x) {
  return polynomial(1 / x, Fit::far) / (polynomial(1 / x, Fit::far_under) * sqrt(x));
}
template <class Fit>
double bessel_k(double x, bool scaled) {
  if (!(x > 0)) return x == 0 ? Format<double>::infinity : Format<double>::nan;
  if (x == Format<double>::infinity) return 0;
  if (x > 1) return scaled_bessel_k<Fit>(x) * (scaled ? 1.0 : exp(-x));
  double z = x * x, log_half = log(x) - 0.693147180559945309417;
  double rest = polynomial(z, Fit::rest), growing = log_half * polynomial(z, Fit::growing);
  double value = std::is_same_v<Fit, BesselK0Fit> ? rest - growing : 1 / x + x * (rest + growing);
  return scaled ? value * exp(x) : value;
}

// Functions of the C library, to the last digits in double. Infinity: the limit, where PyTorch has NaN.
inline double bessel_j(double x, int order) { return order == 0 ? ::j0(x) : ::j1(x); }
inline double bessel_y(double x, int order) {
  if (x < 0) return Format<double>::nan;
  return order == 0 ? ::y0(x) : ::y1(x);
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
CR_BESSEL(special_modified_bessel_k0, bessel_k<BesselK0Fit>(x, false))
CR_BESSEL(special_modified_bessel_k1, bessel_k<BesselK1Fit>(x, false))
CR_BESSEL(special_scaled_modified_bessel_k0, bessel_k<BesselK0Fit>(x, true))
CR_BESSEL(special_scaled_modified_bessel_k1, bessel_k<BesselK1Fit>(x, true))
CR_BESSEL(special_spherical_bessel_j0, spherical_bessel_j0(x))
#undef CR_BESSEL
