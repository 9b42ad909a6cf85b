// Every element of (outer, channels, inner) with the numbers of its channel, kGroup threads to a piece of `inner`
// elements: y = (x - mean) * numbers[1] + numbers[2], or numbers[1] * g + numbers[2] * (x - mean) + numbers[3].
struct Arguments {
  const double* numbers;  // (3 or 4, channels), the means first
  const S *x, *g;
  S* to;
  int64_t pieces, channels, inner;
};
inline T number(const Arguments& a, int which, int64_t channel) { return T(a.numbers[which * a.channels + channel]); }
inline T mapped(const Arguments& a, const T (&n)[4], int64_t at) {
  const T distance = load<T>(a.x[at]) - n[0];
  return a.g ? n[1] * load<T>(a.g[at]) + n[2] * distance + n[3] : distance * n[1] + n[2];
}

KERNEL_BOUNDED(map_pieces, Arguments, 256) {
  const int64_t piece = thread_number() / kGroup, channel = piece % a.channels;
  if (piece >= a.pieces) return;
  T n[4];
  for (int k = 0; k < 4; ++k) n[k] = k < 3 || a.g ? number(a, k, channel) : T(0);
  for (int64_t i = thread_number() % kGroup; i < a.inner; i += kGroup) {
    const int64_t at = piece * a.inner + i;
    a.to[at] = stored<S>(mapped(a, n, at));
  }
}

// Channels last, the numbers of each sample its own: `pieces` samples of `inner` places, a.channels / pieces channels.
KERNEL_BOUNDED(map_last, Arguments, 256) {
  const int64_t channels = a.channels / a.pieces, sample_size = channels * a.inner;
  for (int64_t at = thread_number(); at < a.pieces * sample_size; at += thread_count()) {
    const int64_t channel = at / sample_size * channels + at % channels;
    T n[4];
    for (int k = 0; k < 4; ++k) n[k] = k < 3 || a.g ? number(a, k, channel) : T(0);
    a.to[at] = stored<S>(mapped(a, n, at));
  }
}
