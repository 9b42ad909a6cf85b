// The pointwise part of an LSTM's step: a thread has an element of the state. Gates lie side by side in a row: input,
// forget, candidate, output. Rows of the state after are `after_row` elements apart, of its gradient `g_row`.
struct Arguments {
  const T *x, *h, *c;
  T *gates, *h_after, *c_after;
  int64_t rows, n, after_row;
  // of the gradient
  const T *g_h, *g_h_more, *g_c;  // g_h_more: added to g_h; may be null
  int64_t g_row;
  T *d_gates, *d_c;
};

KERNEL_BOUNDED(value, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.rows * a.n; k += thread_count()) {
    const int64_t row = I(k) / I(a.n), j = k - row * a.n, at = row * 4 * a.n + j;
    const T i = sigmoid(a.x[at] + a.h[at]), f = sigmoid(a.x[at + a.n] + a.h[at + a.n]);
    const T candidate = tanh(a.x[at + 2 * a.n] + a.h[at + 2 * a.n]), o = sigmoid(a.x[at + 3 * a.n] + a.h[at + 3 * a.n]);
    const T next = f * a.c[k] + i * candidate;
    a.gates[at] = i;
    a.gates[at + a.n] = f;
    a.gates[at + 2 * a.n] = candidate;
    a.gates[at + 3 * a.n] = o;
    a.c_after[row * a.after_row + j] = next;
    a.h_after[row * a.after_row + j] = o * tanh(next);
  }
}

KERNEL_BOUNDED(gradient, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.rows * a.n; k += thread_count()) {
    const int64_t row = I(k) / I(a.n), j = k - row * a.n, at = row * 4 * a.n + j;
    const T i = a.gates[at], f = a.gates[at + a.n], candidate = a.gates[at + 2 * a.n], o = a.gates[at + 3 * a.n];
    const T t = tanh(a.c_after[row * a.after_row + j]);
    const T above = a.g_h[row * a.g_row + j], dh = a.g_h_more ? above + a.g_h_more[k] : above;
    const T dc = a.g_c[row * a.g_row + j] + dh * o * (T(1) - t * t);
    a.d_gates[at] = dc * candidate * i * (T(1) - i);
    a.d_gates[at + a.n] = dc * a.c[k] * f * (T(1) - f);
    a.d_gates[at + 2 * a.n] = dc * i * (T(1) - candidate * candidate);
    a.d_gates[at + 3 * a.n] = dh * t * o * (T(1) - o);
    a.d_c[k] = dc * f;
  }
}
