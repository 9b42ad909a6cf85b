// Hyperbolic functions and their inverses, built on the exponential.

// (e - 1) / (e + 1) for e = exp(2 |x|) = 2^k (1 + p), each end without cancellation.
template <class T>
CR_SCALAR T tanh(T x) {
  using F = Format<T>;
  T doubled = limit(2 * abs(x), T(0), T(sizeof(T) == 4 ? 20 : 44));
  auto [shifted_k, p] = reduce_exponential(doubled);
  T power = power_of_two<T>(bits(shifted_k) - bits(F::round_shift) + F::bias);
  T result = fma(power, p, power - 1) / fma(power, p, power + 1);
  return select(abs(x) < F::epsilon / 4, x, copysign(result, x));
}

// exp(|x|) / 2 as 2^(k - 1) (1 + p), which overflows only where sinh and cosh do; and exp(|x|) - 1 for |x| < 1.
template <class T>
struct HalfExponential {
  T half, minus_one;
};
template <class T>
CR_SCALAR HalfExponential<T> half_exponential(T size) {
  using F = Format<T>;
  auto [shifted_k, p] = reduce_exponential(limit(size, T(0), ExponentialFit<T>::highest + 1));
  T power = power_of_two<T>(bits(shifted_k) - bits(F::round_shift) + F::bias);
  return {scale(1 + p, shifted_k - 1), fma(power, p, power - 1)};
}

// Below 1, where the two exponentials cancel, by e = expm1(|x|): (e + e / (e + 1)) / 2.
template <class T>
CR_SCALAR T sinh(T x) {
  T size = abs(x);
  auto [half, e] = half_exponential(size);
  T result = select(size < 1, T(0.5) * (e + e / (e + 1)), half - T(0.25) / half);
  return select(size < Format<T>::epsilon, x, copysign(result, x));
}
template <class T>
CR_SCALAR T cosh(T x) {
  T half = half_exponential(abs(x)).half;
  return half + T(0.25) / half;
}

// The inverses are logarithms of 1 + something written without cancellation; where squares would overflow, of 2 |x|.
template <class T>
CR_SCALAR T asinh(T x) {
  constexpr T huge = T(1) / Format<T>::epsilon;
  T size = abs(x), limited = size > huge ? huge : size, square = limited * limited;
  T near = log1p(limited + square / (1 + sqrt(square + 1)));
  T far = log(size) + T(0.693147180559945309);
  return copysign(select(size > huge, far, near), x);
}
template <class T>
CR_SCALAR T acosh(T x) {
  constexpr T huge = T(1) / Format<T>::epsilon;
  T t = (x > huge ? huge : x) - 1;
  T near = log1p(t + sqrt(t * (t + 2)));
  T far = log(x) + T(0.693147180559945309);
  return select(x < 1, Format<T>::nan, select(x > huge, far, near));
}
template <class T>
CR_SCALAR T atanh(T x) {
  T size = abs(x);
  return copysign(T(0.5) * log1p(2 * size / (1 - size)), x);
}
