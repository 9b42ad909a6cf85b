// Long rows in order, by digits of eight bits from the lowest on; all rows at once. A pass counts the digits of each
// tile, sums the counts up over tiles, digits and rows, and moves the keys there; equal ones stay in order. K is the
// type of a key; kFirst says that keys are read from the elements.
constexpr int kEach = sizeof(K) <= 4 ? 16 : 8, kTile = 256 * kEach;
struct Arguments {
  const S* x;
  const K* keys;
  const uint32_t* order;
  K* keys_to;
  uint32_t* order_to;
  int64_t* places;  // by row, digit and tile
  S* values;
  int64_t* indices;
  int64_t rows, n, tiles;
  int shift;
  bool descending;
};
inline K key_at(const Arguments& a, int64_t at) {
  if constexpr (!kFirst) return a.keys[at];
  const K key = order_key(a.x[at]);
  return a.descending ? K(~key) : key;
}
inline int digit_of(const Arguments& a, K key) { return int(key >> a.shift) & 255; }

KERNEL_BOUNDED(count_digits, Arguments, 256) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int64_t row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles;
  for (int k = 0; k < kEach; ++k) {
    const int64_t i = tile * kTile + k * 256 + threadIdx.x;
    if (i < a.n) atomicAdd(&counts[digit_of(a, key_at(a, row * a.n + i))], 1u);
  }
  __syncthreads();
  a.places[(row * 256 + threadIdx.x) * a.tiles + tile] = counts[threadIdx.x];
}

// Within a tile, keys are put in order in the block's own memory first, so that neighbours are written together.
KERNEL_BOUNDED(move_keys, Arguments, 256) {
  __shared__ unsigned of_warps[8][256];
  __shared__ K keys[kTile];
  __shared__ uint32_t order[kTile];
  __shared__ int64_t to[256];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles;
  const int64_t begin = tile * kTile + warp * (kEach * 32) + lane;
  for (int w = 0; w < 8; ++w) of_warps[w][threadIdx.x] = 0;
  __syncthreads();

  K mine[kEach];
  unsigned rank[kEach];  // among the warp's keys of this digit
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int64_t i = begin + k * 32;
    mine[k] = i < a.n ? key_at(a, row * a.n + i) : K(0);
    const int digit = i < a.n ? digit_of(a, mine[k]) : 256;
    const unsigned same = __match_any_sync(0xffffffffu, digit), before = __popc(same & ((1u << lane) - 1));
    const unsigned earlier = i < a.n ? of_warps[warp][digit] : 0;
    rank[k] = earlier + before;
    __syncwarp();
    if (i < a.n && before == 0) of_warps[warp][digit] = earlier + __popc(same);
    __syncwarp();
  }
  __syncthreads();

  int64_t count = 0, all;
  for (int w = 0; w < 8; ++w) {
    const unsigned here = of_warps[w][threadIdx.x];
    of_warps[w][threadIdx.x] = unsigned(count);
    count += here;
  }
  const int64_t before = before_in_block(count, int64_t(0), Sum(), all);
  to[threadIdx.x] = a.places[(row * 256 + threadIdx.x) * a.tiles + tile] - before;
  for (int w = 0; w < 8; ++w) of_warps[w][threadIdx.x] += unsigned(before);
  __syncthreads();

#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int64_t i = begin + k * 32;
    if (i >= a.n) continue;
    const unsigned slot = of_warps[warp][digit_of(a, mine[k])] + rank[k];
    keys[slot] = mine[k];
    order[slot] = kFirst ? uint32_t(i) : a.order[row * a.n + i];
  }
  __syncthreads();
  for (int s = threadIdx.x; s < all; s += 256) {
    const int64_t at = to[digit_of(a, keys[s])] + s;
    a.keys_to[at] = keys[s];
    a.order_to[at] = order[s];
  }
}

KERNEL_BOUNDED(finish, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.rows * a.n; i += thread_count()) {
    const int64_t from = a.order[i];
    a.indices[i] = from;
    if (a.values) a.values[i] = a.x[i / a.n * a.n + from];
  }
}
