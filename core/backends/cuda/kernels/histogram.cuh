// How many elements fall into each part of a range. In the arithmetic of S, for what falls on an edge depends on its
// rounding. Few parts are counted by blocks first.
struct Arguments {
  const S* x;
  int64_t n;
  double first, last;
  int64_t bins, *counts;
  S* to;
};
inline T rounded(T x) { return load<T>(stored<S>(x)); }
KERNEL_BOUNDED(histogram, Arguments, 256) {
  constexpr int kMost = 4096;
  __shared__ unsigned counts[kMost];
  const bool in_block = a.bins <= kMost;
  for (int k = threadIdx.x; in_block && k < a.bins; k += 256) counts[k] = 0;
  __syncthreads();
  const T low = rounded(T(a.first)), high = rounded(T(a.last)), width = rounded(high - low), bins = rounded(T(a.bins));
  const bool has_edges = abs(width) < Format<T>::infinity;
  for (int64_t i = thread_number(); has_edges && i < a.n; i += thread_count()) {
    const T x = load<T>(a.x[i]);
    if (!(x >= low && x <= high)) continue;
    const double place = double(rounded(rounded(rounded(x - low) * bins) / width));
    const int64_t bin = place >= 0 && place < double(a.bins - 1) ? int64_t(place) : a.bins - 1;
    if (in_block)
      atomicAdd(&counts[bin], 1u);
    else
      atomicAdd((unsigned long long*)(a.counts + bin), 1ull);
  }
  __syncthreads();
  for (int k = threadIdx.x; in_block && k < a.bins; k += 256) {
    if (counts[k]) atomicAdd((unsigned long long*)(a.counts + k), (unsigned long long)counts[k]);
  }
}
KERNEL_BOUNDED(convert, Arguments, 256) {
  const int64_t i = thread_number();
  if (i < a.bins) a.to[i] = stored<S>(T(a.counts[i]));
}
