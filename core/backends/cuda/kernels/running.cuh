// Running totals over the threads of a block, in their order. `join` takes what comes first, then what follows it.
template <class V>
inline V shuffled_up(V v, int by) {
  struct Words {
    unsigned long long at[(sizeof(V) + 7) / 8];
  };
  Words words{};
  *(V*)&words = v;
  for (int i = 0; i < int(sizeof(Words) / 8); ++i) words.at[i] = __shfl_up_sync(0xffffffffu, words.at[i], by);
  return *(V*)&words;
}
// Of all threads before this one; `start`, which changes nothing, for the first. `total` becomes that of the block.
template <class V, class F>
inline V before_in_block(V v, V start, F join, V& total) {
  __shared__ V of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int by = 1; by < 32; by *= 2) {
    const V before = shuffled_up(v, by);
    if (lane >= by) v = join(before, v);
  }
  V before = shuffled_up(v, 1);
  if (lane == 0) before = start;
  __syncthreads();
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  total = of_warps[0];
  V earlier = start;
  for (int i = 1; i < warps; ++i) {
    if (i == warp) earlier = total;
    total = join(total, of_warps[i]);
  }
  return warp == 0 ? before : join(earlier, before);
}
