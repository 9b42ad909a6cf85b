// Coins whose probabilities are elements of a second tensor. A thread tosses four, one after another in the order of
// both tensors.
struct Arguments {
  S* out;
  const P* p;
  int64_t n;
  uint64_t seed, offset;
  Strided<2> at;
};

KERNEL_BOUNDED(toss, Arguments, 256) {
  const int64_t first = thread_number() * 4;
  if (first >= a.n) return;
  const Words words = philox(a.seed, uint64_t(thread_number()), a.offset / 4);
  for (int k = 0; k < 4 && first + k < a.n; ++k) {
    int64_t at[2];
    a.at.places(first + k, at);
    const W p = load<W>(a.p[at[1]]);
    if (!(p >= 0 && p <= 1)) report_parameter();
    a.out[at[0]] = stored<S>(W(unit32(words.at[k])) <= p ? W(1) : W(0));
  }
}
