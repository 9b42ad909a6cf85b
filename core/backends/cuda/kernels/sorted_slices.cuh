// Slices that come to the same place, in their order: see sorted_slices.hpp. A thread takes a run of sorted keys. What
// goes on beyond it is joined afterwards, so many slices of one key keep nobody waiting, and every run of the program
// adds in the same order.
struct Arguments {
  S* whole;
  const S* packed;
  const int64_t *keys, *order;
  T* unfinished;  // of each run: of the key that comes from the run before, then of the one that goes on in the next
  int64_t count, by, unit, none, runs;
  bool mean;
  Strided<1> before, after;
};
constexpr int kRun = 32;
struct Part {
  int64_t run, begin, end, repetition, place, beside;
};
inline Part part_of(const Arguments& a, int64_t i) {
  const int64_t rest = i / a.after.numel, beside = i - rest * a.after.numel;
  const int64_t repetition = rest / a.runs, run = rest - repetition * a.runs, begin = run * kRun;
  int64_t before[1], after[1];
  a.before.places(repetition, before);
  a.after.places(beside, after);
  const int64_t end = begin + kRun < a.count ? begin + kRun : a.count;
  return {run, begin, end, repetition, before[0] + after[0], beside};
}
inline T element_at(const Arguments& a, const Part& p, int64_t k) {
  const int64_t slice = p.repetition * a.count + a.order[k];
  return load<T>(a.packed[(slice * a.after.numel + p.beside) * a.by]);
}
inline T& unfinished_at(const Arguments& a, const Part& p, int64_t run, int which) {
  return a.unfinished[((p.repetition * a.runs + run) * 2 + which) * a.after.numel + p.beside];
}
// The first place in the sorted keys that is not less.
inline int64_t begin_of(const Arguments& a, int64_t key) {
  int64_t low = 0, high = a.count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (a.keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
inline void put(const Arguments& a, const Part& p, int64_t key, T total) {
  S* const to = a.whole + key * a.unit + p.place;
  if (a.mean) total = total * (T(1) / T(double(begin_of(a, key + 1) - begin_of(a, key))));
  *to = stored<S>(combined<kCombine>(load<T>(*to), total));
}
inline bool comes_from_before(const Arguments& a, const Part& p, int64_t key) {
  return p.begin > 0 && a.keys[p.begin - 1] == key;
}
inline bool goes_on(const Arguments& a, const Part& p, int64_t key) { return p.end < a.count && a.keys[p.end] == key; }

#define EACH_PART(i)                                                                                 \
  for (int64_t i = thread_number(), all = a.before.numel * a.runs * a.after.numel; i < all; i += thread_count())

KERNEL_BOUNDED(combine_runs, Arguments, 256) {
  EACH_PART(i) {
    const Part p = part_of(a, i);
    for (int64_t k = p.begin; k < p.end;) {
      const int64_t first = k, key = a.keys[k];
      T total = element_at(a, p, k);
      for (++k; k < p.end && a.keys[k] == key; ++k) total = combined<kCombine>(total, element_at(a, p, k));
      if (key == a.none) continue;
      if (first == p.begin && comes_from_before(a, p, key))
        unfinished_at(a, p, p.run, 0) = total;
      else if (k == p.end && goes_on(a, p, key))
        unfinished_at(a, p, p.run, 1) = total;
      else
        put(a, p, key, total);
    }
  }
}
// The run in which a key begins that goes on joins what the following ones have of it.
KERNEL_BOUNDED(join_runs, Arguments, 256) {
  EACH_PART(i) {
    const Part p = part_of(a, i);
    const int64_t key = a.keys[p.end - 1];
    if (key == a.none || !goes_on(a, p, key)) continue;
    if (a.keys[p.begin] == key && comes_from_before(a, p, key)) continue;
    T total = unfinished_at(a, p, p.run, 1);
    for (int64_t run = p.run + 1; run < a.runs && a.keys[run * kRun] == key; ++run)
      total = combined<kCombine>(total, unfinished_at(a, p, run, 0));
    put(a, p, key, total);
  }
}
