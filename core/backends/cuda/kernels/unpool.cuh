// Elements go to the places in their planes that indices name.
struct Arguments {
  const int64_t* index;
  const S* x;
  S* y;
  int64_t planes, in, out;
};
KERNEL_BOUNDED(unpool, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.planes * a.in; i += thread_count()) {
    const int64_t place = a.index[i];
    if (uint64_t(place) < uint64_t(a.out))
      a.y[i / a.in * a.out + place] = a.x[i];
    else
      report_index(place, a.out);
  }
}
