// Short rows in order: a block has as many of them as fit into its memory, and exchanges pairs (Batcher's network).
// Equal elements are ordered by where they were. K is the type of a key.
struct Arguments {
  const S* x;
  S* values;
  int64_t* indices;
  int64_t rows, n, take;
  int padded, together;  // the length as a power of two, and rows of a block
  bool descending;
};
KERNEL_BOUNDED(sort_short, Arguments, 256) {
  constexpr int kRoom = 2048;
  __shared__ K keys[kRoom];
  __shared__ uint16_t order[kRoom];
  const int64_t first = int64_t(blockIdx.x) * a.together;
  const int all = a.padded * a.together;
  for (int i = threadIdx.x; i < all; i += 256) {
    const int64_t row = first + i / a.padded, j = i % a.padded;
    const bool exists = row < a.rows && j < a.n;
    const K key = exists ? order_key(a.x[row * a.n + j]) : K(0);
    keys[i] = !exists ? K(~K(0)) : a.descending ? K(~key) : key;
    order[i] = uint16_t(j);
  }
  for (int size = 2; size <= a.padded; size *= 2) {
    for (int apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < all / 2; t += 256) {
        const int i = 2 * t - (t & (apart - 1)), j = i + apart;
        const bool rises = ((i & (a.padded - 1)) & size) == 0;
        const bool falls = keys[j] < keys[i] || (keys[j] == keys[i] && order[j] < order[i]);
        if (rises != falls) continue;
        const K key = keys[i];
        const uint16_t place = order[i];
        keys[i] = keys[j], order[i] = order[j];
        keys[j] = key, order[j] = place;
      }
    }
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < a.take * a.together; i += 256) {
    const int64_t row = first + i / a.take, j = i % a.take;
    if (row >= a.rows) break;
    const int64_t from = order[(row - first) * a.padded + j];
    a.indices[row * a.take + j] = from;
    if (a.values) a.values[row * a.take + j] = a.x[row * a.n + from];
  }
}
