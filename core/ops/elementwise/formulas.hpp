// Gradients too long for a line of elementwise.def, as templates over anything that knows the table's vocabulary.
//
// Included inside the namespace of each context, without a guard: T is a number in the kernels and a tensor in
// derivatives of higher order. Only + - * /, comparisons, & and |, select, zero, if_complex, T(constant) and ops of the
// table. Kernels define CR_FORMULA so as to inline by force, without which their loops would not vectorise.
#ifndef CR_FORMULA
#define CR_FORMULA inline
#endif

// Of the larger of a and b, for a. A tie is shared; NaN, which equals nothing, hands its gradient to both.
template <class T>
CR_FORMULA T larger_gradient(T g, T a, T b) {
  return select(a < b, zero(g), select(a == b, g / 2, g));
}

template <class T>
CR_FORMULA T pow_gradient_base(T g, T a, T exponent) {
  return select(exponent == 0, zero(g), g * (exponent * pow(a, exponent - 1)));
}

// Of losses of a difference d that are square near 0 and straight further out. NaN is not further out, and stays.
template <class T>
CR_FORMULA T smooth_l1_gradient(T g, T d, T beta) {
  return select(abs(d) >= beta, g * sign(d), g * (d / beta));
}
template <class T>
CR_FORMULA T huber_gradient(T g, T d, T delta) {
  return select(abs(d) > delta, g * (delta * sign(d)), g * d);
}

// Zero where 0 is raised to a power that is not negative, which is where the result is finite.
template <class T>
CR_FORMULA T pow_gradient_exponent(T g, T a, T y) {
  return select((a == 0) & (y - y == 0), zero(g), g * (y * log(a)));
}

// Beyond the bounds: zero with an eps, which clamps, and NaN without.
template <class T>
CR_FORMULA T logit_gradient(T g, T x, T eps) {
  T inside = g / ((x + 0) * (1 - x));  // + 0: the infinity at -0 is that at 0
  T undefined = zero(g) / zero(g);
  T unclamped = select((x < 0) | (x > 1), undefined, inside);
  return select(eps < 0, unclamped, select((x < eps) | (x > 1 - eps), zero(g), inside));
}

// part / (a^2 + b^2), and zero at the origin, where the angle has no derivative.
template <class T>
CR_FORMULA T atan2_gradient(T g, T part, T a, T b) {
  T square_sum = a * a + b * b;
  T safe = select(square_sum == 0, zero(g) + 1, square_sum);
  return select(square_sum == 0, zero(g), g * (part / safe));
}

template <class T>
CR_FORMULA T sinc_gradient(T g, T x, T y) {
  T angle = x * T(3.14159265358979324);  // a T again: kernels choose the cosine by its type
  return select(x == 0, zero(g), g * ((cos(angle) - y) / x));
}

// Where |x| vanishes, so does y, and y / x tends to 1/2.
template <class T>
CR_FORMULA T i1_gradient(T g, T x, T y) {
  T safe = select(x == 0, zero(x) + 1, x);
  return g * select(x == 0, zero(x) + T(0.5), i0(safe) - y / safe);
}
template <class T>
CR_FORMULA T i1e_gradient(T g, T x, T y) {
  T safe = select(x == 0, zero(x) + 1, x);
  return g * select(x == 0, zero(x) + T(0.5), special_i0e(safe) - y * (sign(safe) + 1 / safe));
}

// scale * x above zero and scale * alpha * (exp(rate * x) - 1) below: elu, celu and selu.
template <class T>
CR_FORMULA T exponential_unit_gradient(T g, T x, T alpha, T scale, T rate) {
  T below = select(x <= 0, x, zero(x));  // or exp would overflow above zero
  return select(x <= 0, g * (scale * alpha * rate * exp(below * rate)), g * scale);
}

template <class T>
CR_FORMULA T gelu_gradient(T g, T x) {
  T cumulative = T(0.5) * (1 + erf(x * T(0.707106781186547524)));
  T density = T(0.398942280401432678) * exp(T(-0.5) * x * x);
  return g * (cumulative + x * density);
}

template <class T>
CR_FORMULA T gelu_tanh_gradient(T g, T x) {
  T square_of_x = x * x;
  T t = tanh(T(0.797884560802865356) * (x + T(0.044715) * (square_of_x * x)));
  T slope = T(0.797884560802865356) * (1 + T(0.134145) * square_of_x);
  return g * (T(0.5) * (1 + t) + T(0.5) * x * ((1 - t * t) * slope));
}

template <class T>
CR_FORMULA T silu_gradient(T g, T x) {
  T s = sigmoid(x);
  return g * (s * (1 + x * (1 - s)));
}

// mish(x) = x tanh(log(1 + exp(x))).
template <class T>
CR_FORMULA T mish_gradient(T g, T x) {
  T t = tanh(-logsigmoid(-x));
  return g * (t + x * sigmoid(x) * (1 - t * t));
}
