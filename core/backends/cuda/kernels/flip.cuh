// Rows of a contiguous tensor in another order, each as it is or reversed: see FlippedRows.
struct Arguments {
  const S* from;
  S* to;
  int64_t rows, length;
  bool reversed;
  int64_t dimensions, outer[12];
  bool flips[12];
};
KERNEL_BOUNDED(flip, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.rows * a.length; i += thread_count()) {
    const int64_t row = i / a.length, j = i - row * a.length;
    int64_t left = row, source = 0, step = 1;
    for (int d = int(a.dimensions) - 1; d >= 0; --d) {
      const int64_t rest = left / a.outer[d], at = left - rest * a.outer[d];
      source += step * (a.flips[d] ? a.outer[d] - 1 - at : at);
      step *= a.outer[d];
      left = rest;
    }
    a.to[i] = a.from[source * a.length + (a.reversed ? a.length - 1 - j : j)];
  }
}
