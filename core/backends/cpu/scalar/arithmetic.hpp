// Arithmetic that takes more than an operator: limits, interpolation, and sums of logarithms.

template <class T>
CR_SCALAR T square(T x) {
  return x * x;
}
template <class T>
CR_SCALAR T rsqrt(T x) {
  return 1 / sqrt(x);
}
template <class T>
CR_SCALAR T reciprocal(T x) {
  return 1 / x;
}

// Fused where the instruction set has it, as PyTorch's kernels are: results then agree to the last bit.
CR_SCALAR float multiply_add(float a, float b, float c) { return fma(a, b, c); }
CR_SCALAR double multiply_add(double a, double b, double c) { return fma(a, b, c); }
template <class T>
CR_SCALAR T multiply_add(T a, T b, T c) {
  return a * b + c;
}

// A NaN among the three wins; where the limits cross, the upper one does. The limits are asked for NaN and x is not:
// what is not beyond a limit stays, and constant limits ask nothing.
template <class T>
CR_SCALAR T clamp(T x, T lower, T upper) {
  T raised = lower > x ? lower : x;
  raised = lower != lower ? lower : raised;
  T lowered = upper < raised ? upper : raised;
  return upper != upper ? upper : lowered;
}

template <class T>
CR_SCALAR T heaviside(T x, T at_zero) {
  return select(x == 0, at_zero, select(x > 0, T(1), T(0)));
}
template <class T>
CR_SCALAR T angle(T x) {
  return select(x != x, x, select(x < 0, T(3.14159265358979324), T(0)));
}

// The squares are summed where they can neither overflow nor vanish: in double, or scaled by the larger of the two.
CR_SCALAR float hypot(float a, float b) {
  double x = a, y = b;
  float result = float(sqrt(x * x + y * y));
  return is_infinite(a) | is_infinite(b) ? Format<float>::infinity : result;
}
CR_SCALAR double hypot(double a, double b) {
  double x = abs(a), y = abs(b), larger = x > y ? x : y, smaller = x > y ? y : x;
  double ratio = smaller / larger, result = select(larger == 0, 0.0, larger * sqrt(1 + ratio * ratio));
  result = (a != a) | (b != b) ? a + b : result;
  return is_infinite(a) | is_infinite(b) ? Format<double>::infinity : result;
}

// From the nearer end, so that a weight of 1 gives exactly `end`.
template <class T>
CR_SCALAR T lerp(T start, T end, T weight) {
  bool near_start = abs(weight) < T(0.5);
  return fma(select(near_start, weight, weight - 1), end - start, select(near_start, start, end));
}
template <class T>
CR_SCALAR T nan_to_num(T x, T nan, T above, T below) {
  T finite = x == Format<T>::infinity ? above : x == -Format<T>::infinity ? below : x;
  return x != x ? nan : finite;
}
CR_SCALAR int64_t nan_to_num(int64_t x, int64_t, int64_t, int64_t) { return x; }

// log(exp(a) + exp(b)) around the larger; two equal infinities must not meet in a difference.
template <class T>
CR_SCALAR T logaddexp(T a, T b) {
  T larger = a > b ? a : b, result = larger + log1p(exp(-abs(a - b)));
  result = (a != a) | (b != b) ? a + b : result;
  return (a == b) & is_infinite(a) ? a : result;
}
template <class T>
CR_SCALAR T logaddexp2(T a, T b) {
  T larger = a > b ? a : b, result = larger + T(1.44269504088896341) * log1p(exp2(-abs(a - b)));
  result = (a != a) | (b != b) ? a + b : result;
  return (a == b) & is_infinite(a) ? a : result;
}
template <class T>
CR_SCALAR T xlogy(T x, T y) {
  T product = x * log(y), result = x == 0 ? T(0) : product;
  return y != y ? y : result;
}
template <class T>
CR_SCALAR T special_xlog1py(T x, T y) {
  T product = x * log1p(y), result = x == 0 ? T(0) : product;
  return y != y ? y : result;
}
template <class T>
CR_SCALAR T special_entr(T x) {
  T product = -x * log(x), result = x == 0 ? T(0) : product;
  return x < 0 ? -Format<T>::infinity : result;
}

template <class T>
CR_SCALAR T logsigmoid(T x) {
  return select(x < 0, x, T(0)) - log1p(exp(-abs(x)));
}
template <class T>
CR_SCALAR T logit(T x, T eps) {
  T limited = limit(x, eps, 1 - eps), z = select(eps < 0, x, limited);
  return log(z / (1 - z));
}
