// `parts` rows of n numbers added up, in order.
struct Arguments {
  const T* from;
  T* to;
  int64_t parts, n;
};
KERNEL_BOUNDED(sum_parts, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.n) return;
  double total = 0;
  for (int64_t p = 0; p < a.parts; ++p) total += a.from[p * a.n + i];
  a.to[i] = T(total);
}
