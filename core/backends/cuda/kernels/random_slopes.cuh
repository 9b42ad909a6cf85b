// A slope for each element that is not positive; all elements draw.
struct Arguments {
  const S* input;
  S *out, *noise;
  int64_t n;
  uint64_t seed, offset;
  double lower, width;
};

inline float unit(Words w, int k, float) { return unit32(w.at[k]); }
inline double unit(Words w, int k, double) { return unit53(w.at[2 * k], w.at[2 * k + 1]); }

KERNEL_BOUNDED(slopes, Arguments, 256) {
  constexpr int kEach = sizeof(T) == 8 ? 2 : 4;
  const int64_t thread = thread_number(), threads = thread_count();
  uint64_t block = a.offset / 4;
  for (int64_t i = thread; i < a.n; i += threads * kEach, ++block) {
    const Words words = philox(a.seed, uint64_t(thread), block);
    for (int k = 0; k < kEach; ++k) {
      const int64_t at = i + threads * k;
      if (at >= a.n) continue;
      const T x = load<T>(a.input[at]), u = load<T>(stored<S>(unit(words, k, T())));
      const T slope = load<T>(stored<S>(T(fused(double(u), a.width, a.lower))));
      a.out[at] = x <= 0 ? stored<S>(x * slope) : a.input[at];
      a.noise[at] = stored<S>(x <= 0 ? slope : T(1));
    }
  }
}
