// Rows of a table, looked up by their indices. One that leads nowhere is told later, and counts for nothing.
struct Arguments {
  const int64_t* indices;
  const S* from;
  S* to;
  int64_t* times;  // how often each row is looked up; null: it does not matter
  int64_t count, rows, width, padding;
};
inline int64_t row_of(const Arguments& a, int64_t place) {
  const int64_t row = a.indices[place];
  if (uint64_t(row) < uint64_t(a.rows)) return row;
  report_index(row, a.rows);
  return -1;
}
inline T share(const Arguments& a, int64_t row) { return a.times ? T(1) / T(a.times[row]) : T(1); }

KERNEL_BOUNDED(count_rows, Arguments, 256) {
  const int64_t i = thread_number();
  const int64_t row = i < a.count ? row_of(a, i) : -1;
  if (row >= 0) atomicAdd((unsigned long long*)(a.times + row), 1ull);
}
KERNEL_BOUNDED(copy_rows, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count * a.width; i += thread_count()) {
    const int64_t place = i / a.width, row = row_of(a, place);
    a.to[i] = row < 0 ? S{} : a.from[row * a.width + (i - place * a.width)];
  }
}
// Into zeros.
KERNEL_BOUNDED(add_rows, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count * a.width; i += thread_count()) {
    const int64_t place = i / a.width, row = row_of(a, place);
    if (row >= 0 && row != a.padding) atomic_add(a.to + row * a.width + (i - place * a.width), share(a, row) * load<T>(a.from[i]));
  }
}
KERNEL_BOUNDED(take_rows, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count * a.width; i += thread_count()) {
    const int64_t place = i / a.width, row = row_of(a, place);
    const bool counts = row >= 0 && row != a.padding;
    a.to[i] = stored<S>(counts ? T(share(a, row) * load<T>(a.from[row * a.width + (i - place * a.width)])) : T(0));
  }
}
