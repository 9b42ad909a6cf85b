// Slices of a whole: see MovedSlices. kCombine is what becomes of an element of the whole.
struct Arguments {
  S *whole, *packed;
  const int64_t *offsets, *order;  // in sorted order, and where each of them was
  int64_t count, by;               // `by` is 0 if one packed element stands for all
  Strided<1> before, after;
};
struct Part {
  int64_t slice, repetition, place, beside;  // place: in the whole, but for the slice's offset
};
inline Part part_of(const Arguments& a, int64_t i) {
  const int64_t rest = i / a.after.numel, repetition = rest / a.count;
  int64_t before[1], after[1];
  a.before.places(repetition, before);
  a.after.places(i - rest * a.after.numel, after);
  return {rest - repetition * a.count, repetition, before[0] + after[0], i - rest * a.after.numel};
}
#define EACH_ELEMENT(i)                                                                               \
  for (int64_t i = thread_number(), end = a.before.numel * a.count * a.after.numel; i < end; i += thread_count())

KERNEL_BOUNDED(read_slices, Arguments, 256) {
  EACH_ELEMENT(i) {
    const Part p = part_of(a, i);
    a.packed[i] = a.whole[a.offsets[p.slice] + p.place];
  }
}
KERNEL_BOUNDED(combine_slices, Arguments, 256) {
  EACH_ELEMENT(i) {
    const Part p = part_of(a, i);
    combine_with<kCombine, T>(a.whole + a.offsets[p.slice] + p.place, a.packed[i * a.by]);
  }
}
// One thread takes all slices that coincide, in their order, so the result is the same in every run.
KERNEL_BOUNDED(combine_sorted, Arguments, 256) {
  EACH_ELEMENT(i) {
    const Part p = part_of(a, i);
    const int64_t offset = a.offsets[p.slice];
    if (p.slice > 0 && a.offsets[p.slice - 1] == offset) continue;
    S* const to = a.whole + offset + p.place;
    T total = load<T>(*to);
    for (int64_t k = p.slice; k < a.count && a.offsets[k] == offset; ++k) {
      const int64_t beside = (p.repetition * a.count + a.order[k]) * a.after.numel + p.beside;
      total = combined<kCombine>(total, load<T>(a.packed[beside * a.by]));
    }
    *to = stored<S>(total);
  }
}
