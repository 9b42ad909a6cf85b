// Elements at positions that an index gives along one dimension: see IndexedElements. What leads nowhere is told later,
// and nothing is read or written for it. kCombine is what becomes of an element of the whole.
struct Arguments {
  const int64_t* index;
  S *whole, *beside;
  int64_t step, size;
  bool wraps;
  Strided<3> at;  // of the index, the whole and what is beside the index
};
inline S* element_of(const Arguments& a, const int64_t (&at)[3]) {
  const int64_t i = a.index[at[0]], wrapped = a.wraps && i < 0 ? i + a.size : i;
  if (uint64_t(wrapped) < uint64_t(a.size)) return a.whole + at[1] + wrapped * a.step;
  report_index(i, a.size);
  return nullptr;
}

KERNEL_BOUNDED(read_elements, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[3];
    a.at.places(i, at);
    const S* from = element_of(a, at);
    a.beside[at[2]] = from ? *from : S{};
  }
}
KERNEL_BOUNDED(combine_elements, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[3];
    a.at.places(i, at);
    if (S* to = element_of(a, at)) combine_with<kCombine, T>(to, a.beside[at[2]]);
  }
}
