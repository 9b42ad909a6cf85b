// to[i] += from[i] for all positions, of which several may be one element of the target.
struct Arguments {
  S* to;
  const S* from;
  Strided<2> at;
};
KERNEL_BOUNDED(accumulate, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[2];
    a.at.places(i, at);
    atomic_add(a.to + at[0], load<T>(a.from[at[1]]));
  }
}
