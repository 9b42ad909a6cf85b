// The pointwise part of a GRU's step: a thread has an element of the state. Gates lie side by side in a row: reset,
// update, candidate.
struct Arguments {
  const T *x, *h, *before;
  T *gates, *after;
  int64_t rows, n;
  const T* g;
  T *d_x, *d_h, *d_before;
};

KERNEL_BOUNDED(value, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.rows * a.n; k += thread_count()) {
    const int64_t row = I(k) / I(a.n), at = row * 2 * a.n + k, next = at + a.n, last = next + a.n;
    const T reset = sigmoid(a.x[at] + a.h[at]), update = sigmoid(a.x[next] + a.h[next]);
    const T candidate = tanh(a.x[last] + reset * a.h[last]);
    a.gates[at] = reset;
    a.gates[next] = update;
    a.gates[last] = candidate;
    a.after[k] = candidate + update * (a.before[k] - candidate);
  }
}

KERNEL_BOUNDED(gradient, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.rows * a.n; k += thread_count()) {
    const int64_t row = I(k) / I(a.n), at = row * 2 * a.n + k, next = at + a.n, last = next + a.n;
    const T reset = a.gates[at], update = a.gates[next], candidate = a.gates[last], g = a.g[k];
    const T d_candidate = g * (T(1) - update) * (T(1) - candidate * candidate);
    const T d_reset = d_candidate * a.h[last] * reset * (T(1) - reset);
    const T d_update = g * (a.before[k] - candidate) * update * (T(1) - update);
    a.d_x[at] = a.d_h[at] = d_reset;
    a.d_x[next] = a.d_h[next] = d_update;
    a.d_x[last] = d_candidate;
    a.d_h[last] = d_candidate * reset;
    a.d_before[k] = g * update;
  }
}
