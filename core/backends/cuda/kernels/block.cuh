// What the threads of a block do together. Kernels run with whole warps.
template <int bytes>
struct WordOf {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = unsigned long long;
};
// What the thread has whose number differs in these bits; of any type.
template <class V>
inline V from_other(V mine, int bits) {
  if constexpr (sizeof(V) == 4 || sizeof(V) == 8) {
    using Word = WordOf<sizeof(V)>::Type;
    return __builtin_bit_cast(V, __shfl_xor_sync(0xffffffffu, __builtin_bit_cast(Word, mine), bits));
  } else {
    struct Words {
      unsigned at[(sizeof(V) + 3) / 4];
    } words{};
    V theirs;
    memcpy(&words, &mine, sizeof(V));
#pragma unroll
    for (unsigned& word : words.at) word = __shfl_xor_sync(0xffffffffu, word, bits);
    memcpy(&theirs, &words, sizeof(V));
    return theirs;
  }
}
// Of the lowest `width` threads, for each of them; the lower thread's value comes first.
template <int width, class V, class F>
inline V over_lanes(V v, F combine) {
#pragma unroll
  for (int step = width / 2; step > 0; step /= 2) {
    const V theirs = from_other(v, step);
    v = (threadIdx.x & step) == 0 ? combine(v, theirs) : combine(theirs, v);
  }
  return v;
}
template <class V, class F>
inline V over_warp(V v, F combine) {
  return over_lanes<32>(v, combine);
}
// Of all threads of the block, for each of them; always in the same order.
template <class V, class F>
inline V over_block(V v, F combine) {
  __shared__ V of_warps[32];
  v = over_warp(v, combine);
  const int warps = blockDim.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[0];
  for (int i = 1; i < warps; ++i) v = combine(v, of_warps[i]);
  return v;
}
struct Sum {
  template <class V>
  V operator()(V a, V b) const {
    return a + b;
  }
};
// NaN wins.
struct Largest {
  template <class V>
  V operator()(V a, V b) const {
    return a > b || a != a ? a : b;
  }
};
struct Smallest {
  template <class V>
  V operator()(V a, V b) const {
    return a < b || a != a ? a : b;
  }
};
// Elements of several operands of one shape, in the order of their indices: see strided.hpp.
template <int operands>
struct Strided {
  int64_t numel, dimensions, sizes[12], strides[operands][12];
  void places(int64_t i, int64_t (&at)[operands]) const {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int d = int(dimensions) - 1; d > 0; --d) {
      const int64_t rest = i / sizes[d], here = i - rest * sizes[d];
      for (int k = 0; k < operands; ++k) at[k] += here * strides[k][d];
      i = rest;
    }
    for (int k = 0; k < operands; ++k) at[k] += i * strides[k][0];
  }
};
inline int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
inline int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
