// Places of values in sorted rows, a thread each. The halves are PyTorch's, so that boundaries which are not in order,
// or contain NaN, give the same as on the CPU.
struct Arguments {
  const S* boundaries;
  const int64_t* sorter;
  const S* values;
  void* out;
  int64_t rows, length, count;  // one row of boundaries serves all, or each row of `count` values has its own
  bool right, narrow;
};
inline T boundary_at(const Arguments& a, int64_t row, int64_t i) {
  if (!a.sorter) return load<T>(a.boundaries[row * a.length + i]);
  const int64_t at = a.sorter[row * a.length + i];
  return load<T>(a.boundaries[row * a.length + (uint64_t(at) < uint64_t(a.length) ? at : 0)]);  // the other is told
}
KERNEL_BOUNDED(find_places, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.rows * a.count; k += thread_count()) {
    const int64_t row = k / a.count;
    const T value = load<T>(a.values[k]);
    int64_t start = 0, end = a.length;
    while (start < end) {
      const int64_t middle = start + (end - start) / 2;
      const T boundary = boundary_at(a, row, middle);
      const bool is_before = a.right ? !(boundary > value) : !(boundary >= value);
      if (is_before)
        start = middle + 1;
      else
        end = middle;
    }
    if (a.narrow)
      ((int32_t*)a.out)[k] = int32_t(start);
    else
      ((int64_t*)a.out)[k] = start;
  }
}
