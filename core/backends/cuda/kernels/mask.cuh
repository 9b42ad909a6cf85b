// Elements under a mask, packed in order: tiles count what is true, and what comes before each tile is summed up.
struct Arguments {
  const uint8_t* mask;
  S *whole, *packed;
  int64_t* to;     // offsets, coordinates, or how many are true
  int64_t* tiles;  // how many are true before each
  int64_t found;
  Strided<2> at;  // of the mask and the whole
  int64_t dimensions, sizes[12];  // of a mask whose coordinates are wanted
};
constexpr int kEach = 8, kTile = 256 * kEach;

// Of this thread's elements, how many are true, and where they are.
struct Mine {
  int count = 0;
  int64_t at[kEach][2];
  bool is_true[kEach];
};
inline Mine look(const Arguments& a) {
  Mine mine;
  const int64_t begin = int64_t(blockIdx.x) * kTile + threadIdx.x * kEach;
  for (int k = 0; k < kEach; ++k) {
    const bool exists = begin + k < a.at.numel;
    a.at.places(exists ? begin + k : 0, mine.at[k]);
    mine.is_true[k] = exists && a.mask[mine.at[k][0]] != 0;
    mine.count += mine.is_true[k];
  }
  return mine;
}
// Calls f(element, place among the packed ones, offset in the whole) for each that is true.
template <class F>
inline void each_true(const Arguments& a, F f) {
  const Mine mine = look(a);
  int64_t all;
  int64_t place = a.tiles[blockIdx.x] + before_in_block(int64_t(mine.count), int64_t(0), Sum(), all);
  const int64_t begin = int64_t(blockIdx.x) * kTile + threadIdx.x * kEach;
  for (int k = 0; k < kEach; ++k) {
    if (mine.is_true[k] && place < a.found) f(begin + k, place++, mine.at[k][1]);
  }
}

KERNEL_BOUNDED(count_all, Arguments, 256) {
  int64_t count = 0;
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[2];
    a.at.places(i, at);
    count += a.mask[at[0]] != 0;
  }
  count = over_block(count, Sum());
  if (threadIdx.x == 0 && count) atomicAdd((unsigned long long*)a.to, (unsigned long long)count);
}
KERNEL_BOUNDED(fill, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[2];
    a.at.places(i, at);
    if (a.mask[at[0]]) a.whole[at[1]] = *a.packed;
  }
}
KERNEL_BOUNDED(count_tiles, Arguments, 256) {
  const int64_t count = over_block(int64_t(look(a).count), Sum());
  if (threadIdx.x == 0) a.tiles[blockIdx.x] = count;
}
KERNEL_BOUNDED(pack, Arguments, 256) {
  each_true(a, [&](int64_t, int64_t place, int64_t offset) { a.packed[place] = a.whole[offset]; });
}
KERNEL_BOUNDED(unpack, Arguments, 256) {
  each_true(a, [&](int64_t, int64_t place, int64_t offset) { a.whole[offset] = a.packed[place]; });
}
KERNEL_BOUNDED(offsets, Arguments, 256) {
  each_true(a, [&](int64_t, int64_t place, int64_t offset) { a.to[place] = offset; });
}
KERNEL_BOUNDED(coordinates, Arguments, 256) {
  each_true(a, [&](int64_t i, int64_t place, int64_t) {
    for (int d = int(a.dimensions) - 1; d >= 0; --d) {
      const int64_t rest = i / a.sizes[d];
      a.to[d * a.found + place] = i - rest * a.sizes[d];
      i = rest;
    }
  });
}
