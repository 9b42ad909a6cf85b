// Numbers at equal steps, as PyTorch's kernels for CUDA round them: arange calculates halves in float and all others as
// they are, linspace everything as it is, from both ends to the middle. T is what is calculated with.
struct Arguments {
  S* to;
  int64_t count;
  T start, step;  // of linspace: the first and the last
};
inline int64_t fma(int64_t a, int64_t b, int64_t c) { return int64_t(uint64_t(a) * uint64_t(b) + uint64_t(c)); }
inline T rounded(T x) { return load<T>(stored<S>(x)); }

KERNEL_BOUNDED(arange, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    a.to[i] = stored<S>(fma(a.step, T(i), a.start));
  }
}
KERNEL_BOUNDED(linspace, Arguments, 256) {
  const T first = rounded(a.start), last = rounded(a.step);
  const T step = a.count > 1 ? rounded(rounded(last - first) / rounded(T(a.count - 1))) : T(0);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const bool from_start = i < a.count / 2 || a.count == 1;
    const T steps = T(from_start ? i : a.count - 1 - i), from = from_start ? first : last;
    const T by = from_start ? step : -step;
    if constexpr (sizeof(S) == sizeof(T))
      a.to[i] = stored<S>(fma(by, steps, from));
    else
      a.to[i] = stored<S>(from + rounded(by * rounded(steps)));
  }
}
