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
