// What goes before and after the transforms of the library, along the middle dimension of (outer, n, inner). Complex
// numbers are pairs.
struct Arguments {
  const T* from;
  T* to;
  int64_t outer, n, inner;
  T scale;
};

// The frequencies 0 .. n / 2 of real numbers, turned into rows. The first is real, and if n is even so is the last.
KERNEL_BOUNDED(take_frequencies, Arguments, 256) {
  const int64_t rows = a.n / 2 + 1;
  for (int64_t i = thread_number(); i < a.outer * a.inner * rows; i += thread_count()) {
    const int64_t k = I(i) % I(rows), line = I(i) / I(rows), outer = I(line) / I(a.inner), inner = line - outer * a.inner;
    const int64_t at = 2 * ((outer * rows + k) * a.inner + inner);
    const bool is_real = k == 0 || 2 * k == a.n;
    a.to[2 * i] = a.from[at] * a.scale;
    a.to[2 * i + 1] = is_real ? T(0) : a.from[at + 1] * a.scale;
  }
}

// In (lines, n): the frequencies above n / 2 are conjugates of those below.
KERNEL_BOUNDED(mirror, Arguments, 256) {
  const int64_t below = a.n / 2 + 1, above = a.n - below;
  for (int64_t i = thread_number(); i < a.outer * above; i += thread_count()) {
    const int64_t line = I(i) / I(above), k = below + (i - line * above), to = 2 * (line * a.n + k), from = 2 * (line * a.n + a.n - k);
    a.to[to] = a.to[from];
    a.to[to + 1] = -a.to[from + 1];
  }
}

// (outer, n, inner) to (outer, inner, n), of kParts numbers each.
KERNEL_BOUNDED(turn, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.outer * a.n * a.inner; i += thread_count()) {
    const int64_t k = I(i) % I(a.n), line = I(i) / I(a.n), outer = I(line) / I(a.inner), inner = line - outer * a.inner;
    const int64_t at = (outer * a.n + k) * a.inner + inner;
    for (int part = 0; part < kParts; ++part) a.to[kParts * i + part] = a.from[kParts * at + part] * a.scale;
  }
}
