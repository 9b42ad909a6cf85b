// Sine, cosine, tangent and their inverses.
//
// sin, cos and tan are right up to the limit of their argument reduction; kernels send larger ones through Wide<T>.

template <class T>
struct TrigonometricFit;
template <>
struct TrigonometricFit<float> {
  static constexpr float two_over_pi = 0.63661977f;
  static constexpr float limit = 6000.0f;
  // pi / 2 in three parts. Fused: 24 bits each. Else 11, 11 and 24 bits, so that multiples of the first two are exact.
  static constexpr float part1 = kFused ? 0x1.921fb6p0f : 0x1.92p0f;
  static constexpr float part2 = kFused ? -0x1.777a5cp-25f : 0x1.fb4p-12f;
  static constexpr float part3 = kFused ? -0x1.ee59dap-50f : 0x1.4442d2p-24f;
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2 for |r| < pi / 4, 2^-37 and 2^-33
  static constexpr float sine[] = {-0.16666667f, 0.008333329f, -0.0001983932f, 2.7181661e-06f};
  static constexpr float cosine[] = {0.041666646f, -0.0013887355f, 2.4436995e-05f};
};
template <>
struct TrigonometricFit<double> {
  static constexpr double two_over_pi = 0.6366197723675814;
  static constexpr double limit = 1e6;
  // Fused: 53 bits each. Else 33, 33 and 53 bits.
  static constexpr double part1 = kFused ? 0x1.921fb54442d18p0 : 0x1.921fb544p0;
  static constexpr double part2 = kFused ? 0x1.1a62633145c07p-54 : 0x1.0b4611a6p-34;
  static constexpr double part3 = kFused ? -0x1.f1976b7ed8fbcp-110 : 0x1.3198a2e037073p-69;
  // 2^-68 and 2^-64
  static constexpr double sine[] = {-0.16666666666666666,  0.008333333333333323,   -0.0001984126984125484,
                                    2.755731921407096e-06, -2.505210487983803e-08, 1.6058362506121852e-10,
                                    -7.578489957133907e-13};
  static constexpr double cosine[] = {0.041666666666666595,   -0.0013888888888873847, 2.480158728929814e-05,
                                      -2.755731429644968e-07, 2.087571534572592e-09,  -1.1359221735275489e-11};
};

// x = quarter * pi / 2 + r; only the lowest two bits of the quarter matter.
template <class T>
struct Quadrant {
  T r;
  BitsOf<T> quarter;
};
template <class T>
CR_SCALAR Quadrant<T> reduce_quadrant(T x) {
  using F = TrigonometricFit<T>;
  T shifted = fma(x, F::two_over_pi, Format<T>::round_shift);
  T k = shifted - Format<T>::round_shift;
  T r = fma(k, -F::part3, fma(k, -F::part2, fma(k, -F::part1, x)));
  return {r, bits(shifted)};
}

template <class T>
CR_SCALAR T sine_of(T r) {
  T z = r * r;
  return fma(z * r, polynomial(z, TrigonometricFit<T>::sine), r);
}
template <class T>
CR_SCALAR T cosine_of(T r) {
  T z = r * r, half = T(0.5) * z, w = 1 - half;  // (1 - w) - half is what w lost
  return w + fma(z * z, polynomial(z, TrigonometricFit<T>::cosine), (1 - w) - half);
}

// sin(r + quarter * pi / 2): odd quarters are cosines, and bit 1 is the sign.
template <class T>
CR_SCALAR T sine_in_quadrant(T r, BitsOf<T> quarter) {
  T sine = sine_of(r), cosine = cosine_of(r);
  T value = (quarter & 1) != 0 ? cosine : sine;
  return from_bits(BitsOf<T>(bits(value) ^ ((quarter & 2) << (8 * sizeof(T) - 2))));
}

template <class T>
CR_SCALAR T sin(T x) {
  auto [r, quarter] = reduce_quadrant(x);
  return select(x == 0, x, sine_in_quadrant(r, quarter));
}
template <class T>
CR_SCALAR T cos(T x) {
  auto [r, quarter] = reduce_quadrant(x);
  return sine_in_quadrant(r, BitsOf<T>(quarter + 1));
}
template <class T>
CR_SCALAR T tan(T x) {
  auto [r, quarter] = reduce_quadrant(x);
  T sine = sine_of(r), cosine = cosine_of(r);
  bool turned = (quarter & 1) != 0;
  return select(x == 0, x, select(turned, -cosine, sine) / select(turned, sine, cosine));
}

// sin(pi x) / (pi x).
template <class T>
CR_SCALAR T sinc(T x) {
  T scaled = T(3.14159265358979323846) * x;
  return select(x == 0, T(1), sin(scaled) / scaled);
}

template <class T>
struct InverseTrigonometricFit;
template <>
struct InverseTrigonometricFit<float> {
  static constexpr float half_pi = 1.57079633f, half_pi_low = -4.37113883e-8f;
  // (asin(x) - x) / x^3 in x^2 for |x| < 1/2, 2^-31, and (atan(x) - x) / x^3 for |x| < 1, 2^-28
  static constexpr float asin[] = {0.1666666f, 0.07500512f, 0.04451548f, 0.03181974f, 0.014394105f, 0.037577767f};
  static constexpr float atan[] = {-0.33333302f, 0.19998638f,   -0.14265248f, 0.10957589f,   -0.084194936f,
                                   0.058235094f, -0.031456202f, 0.011064688f, -0.0018272635f};
};
template <>
struct InverseTrigonometricFit<double> {
  static constexpr double half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;
  // 2^-59 and 2^-60
  static constexpr double asin[] = {
      0.16666666666666763,  0.074999999999701,    0.044642857175285884, 0.03038194267525601,  0.022372215906923842,
      0.01735159548076117,  0.013981018744133829, 0.011397291682125249, 0.010789326523372163, 0.0036721739001311466,
      0.021790652251781794, -0.02111669620899463, 0.03270212952728178};
  static constexpr double atan[] = {-0.3333333333333329,    0.1999999999999124,     -0.14285714285086548,
                                    0.11111111088056726,    -0.09090908578519064,   0.07692300113706571,
                                    -0.0666658735308842,    0.058817401428980266,   -0.05259553092243062,
                                    0.04745381627955288,    -0.04287744293720088,   0.038241616641311774,
                                    -0.03284336811817001,   0.026235394329620115,   -0.018708858447822073,
                                    0.011400366549810973,   -0.0056671029498808635, 0.0021780612114891,
                                    -0.0006017265703277416, 0.0001056878979942556,  -8.827512750990852e-06};
};

// Above 1/2, asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
template <class T>
CR_SCALAR T asin(T x) {
  using F = InverseTrigonometricFit<T>;
  T size = abs(x), z = select(size > T(0.5), (1 - size) / 2, x * x), r = select(size > T(0.5), sqrt(z), size);
  T inner = fma(z * r, polynomial(z, F::asin), r);
  T result = select(size > T(0.5), F::half_pi - (2 * inner - F::half_pi_low), inner);
  return copysign(result, x);
}
template <class T>
CR_SCALAR T acos(T x) {
  using F = InverseTrigonometricFit<T>;
  T size = abs(x), z = select(size > T(0.5), (1 - size) / 2, x * x), r = select(size > T(0.5), sqrt(z), x);
  T tail = z * r * polynomial(z, F::asin);
  T outer = select(x < 0, 2 * F::half_pi - (2 * (r + tail) - 2 * F::half_pi_low), 2 * (r + tail));
  return select(size > T(0.5), outer, F::half_pi - (r - (F::half_pi_low - tail)));
}

// atan(numerator / denominator) for 0 <= numerator <= denominator, or pi / 2 less that where they were swapped.
template <class T>
CR_SCALAR T atan_of_ratio(T ratio, bool swapped) {
  using F = InverseTrigonometricFit<T>;
  T z = ratio * ratio, tail = z * ratio * polynomial(z, F::atan);
  return select(swapped, F::half_pi - (ratio - (F::half_pi_low - tail)), ratio + tail);
}
template <class T>
CR_SCALAR T atan(T x) {
  T size = abs(x);
  return copysign(atan_of_ratio(select(size > 1, 1 / size, size), size > 1), x);
}
// The angle in the first quadrant, then mirrored by the signs, those of zeros included.
template <class T>
CR_SCALAR T atan2(T y, T x) {
  using F = InverseTrigonometricFit<T>;
  T height = abs(y), width = abs(x);
  bool steep = height > width, both_infinite = (height == width) & (height == Format<T>::infinity);
  T larger = select(steep, height, width), smaller = select(steep, width, height);
  T ratio = select(both_infinite, T(1), select(larger == 0, T(0), smaller / larger));
  T angle = atan_of_ratio(ratio, steep);
  angle = select(has_sign(x), 2 * F::half_pi - (angle - 2 * F::half_pi_low), angle);
  return select((x != x) | (y != y), x + y, copysign(angle, y));
}
