// a * sigmoid(b) over blocks of half values a, half gates b, and its gradient.
struct Arguments {
  const T *g, *x;
  T* to;
  int64_t blocks, half;
};
inline int64_t place_of(const Arguments& a, int64_t i) { return i + I(i) / I(a.half) * a.half; }

KERNEL_BOUNDED(value, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.blocks * a.half; i += thread_count()) {
    const int64_t at = place_of(a, i);
    a.to[i] = a.x[at] * sigmoid(a.x[at + a.half]);
  }
}
KERNEL_BOUNDED(gradient, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.blocks * a.half; i += thread_count()) {
    const int64_t at = place_of(a, i);
    const T gate = sigmoid(a.x[at + a.half]), passed = a.g[i] * gate;
    a.to[at] = passed;
    a.to[at + a.half] = passed * a.x[at] * (T(1) - gate);
  }
}
