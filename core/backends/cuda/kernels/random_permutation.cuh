// Positions in the order of their keys become a permutation: each run of equal keys is shuffled, by the stream of the
// thread that stands at its beginning.
struct Arguments {
  const int64_t* keys;
  int64_t* positions;
  S* out;
  int64_t n;
  uint64_t seed, offset;
};

KERNEL_BOUNDED(shuffle, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.n || (i > 0 && a.keys[i - 1] == a.keys[i])) return;
  int64_t length = 1;
  while (i + length < a.n && a.keys[i + length] == a.keys[i]) ++length;
  if (length > 1) {
    WordStream stream(a.seed, a.offset, uint64_t(i));
    int64_t* run = a.positions + i;
    for (int64_t k = length - 1; k > 0; --k) {
      const int64_t other = stream.word() % uint32_t(k + 1), kept = run[k];
      run[k] = run[other];
      run[other] = kept;
    }
  }
  for (int64_t k = i; k < i + length; ++k) a.out[k] = stored<S>(a.positions[k]);
}
