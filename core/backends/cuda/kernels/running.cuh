// Running totals over the threads of a block, in their order. `join` takes what comes first, then what follows it.
template <class V>
inline V shuffled_up(V v, int by) {
  if constexpr (sizeof(V) == 4 || sizeof(V) == 8) {
    using Word = WordOf<sizeof(V)>::Type;
    return __builtin_bit_cast(V, __shfl_up_sync(0xffffffffu, __builtin_bit_cast(Word, v), by));
  } else {
    struct Words {
      unsigned at[(sizeof(V) + 3) / 4];
    } words{};
    V before;
    memcpy(&words, &v, sizeof(V));
#pragma unroll
    for (unsigned& word : words.at) word = __shfl_up_sync(0xffffffffu, word, by);
    memcpy(&before, &words, sizeof(V));
    return before;
  }
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
