// How many elements fall where. W is what weights are, or int64_t where each counts 1.
struct Arguments {
  const S* x;
  int64_t n;
  const W* weights;
  W* to;
  int64_t *low, *high;
};
struct Lower {
  int64_t operator()(int64_t a, int64_t b) const { return a < b ? a : b; }
};
KERNEL_BOUNDED(extent, Arguments, 256) {
  int64_t low = 0, high = 0;
  for (int64_t i = thread_number(); i < a.n; i += thread_count()) {
    const int64_t x = load<int64_t>(a.x[i]);
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  low = over_block(low, Lower());
  high = over_block(high, Largest());
  if (threadIdx.x != 0) return;
  atomicMin((long long*)a.low, (long long)low);
  atomicMax((long long*)a.high, (long long)high);
}
KERNEL_BOUNDED(bins, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.n; i += thread_count())
    atomic_add(a.to + load<int64_t>(a.x[i]), a.weights ? a.weights[i] : W(1));
}
