// Activation functions that take more than a line of the table.

template <class T>
CR_SCALAR T softplus(T x, T beta, T threshold) {
  T scaled = x * beta;
  return select(scaled > threshold, x, log1p(exp(scaled)) / beta);
}
template <class T>
CR_SCALAR T exponential_unit(T x, T alpha, T scale, T rate) {
  return select(x > 0, scale * x, scale * alpha * expm1(x * rate));
}
template <class T>
CR_SCALAR T softshrink(T x, T width) {
  return select(x > width, x - width, select(x < -width, x + width, x * 0));
}
template <class T>
CR_SCALAR T gelu(T x) {
  return T(0.5) * x * (1 + erf(x * T(0.707106781186547524)));
}
// gelu_gradient with one exponential for the distribution and its density. ndtr(-t) is exp(-t^2 / 2) times a polynomial
// in t for 0 <= t <= 5, 2^-27 of the product; beyond, the product is smaller than that. Beyond 9 the slope is nothing:
// what follows, products above all, would run into subnormal numbers, at a hundredth of its speed.
CR_SCALAR float gelu_gradient(float g, float x) {
  constexpr float scaled_tail[] = {
      0.5f,          -0.398941845f,   0.249991789f,     -0.132921308f,   0.0622765832f, -0.0260956436f, 0.00969049893f,
      -0.003078348f, 0.000790953345f, -0.000153378453f, 2.06037184e-05f, -1.68315e-06f, 6.23574934e-08f};
  float t = abs(x), near = t > 9 ? 9.0f : t, tail = polynomial(t > 5 ? 5.0f : t, scaled_tail);
  float left = exp(-0.5f * near * near) * (tail - 0.398942280f * t);  // the slope at -t
  left = select(t > 9, 0 * t, left);                                  // infinity has none
  return g * select(x < 0, left, 1 - left);
}
template <class T>
CR_SCALAR T gelu_tanh(T x) {
  return T(0.5) * x * (1 + tanh(T(0.797884560802865356) * (x + T(0.044715) * (x * x * x))));
}
// tanh(log(1 + e)) = n / (n + 2) for e = exp(x) and n = e (e + 2); it is 1 long before e overflows.
template <class T>
CR_SCALAR T mish(T x) {
  T e = exp(x > 20 ? T(20) : x), n = e * (e + 2);
  return x * (n / (n + 2));
}
