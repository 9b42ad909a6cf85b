// softmax(q @ k.T * scale + mask) @ v, a warp for each query (or, of the gradients of k and v, for each key). Eight warps
// read the same 32 rows of the other side, which lie in shared memory. kWidth and kValueWidth are the widths.
struct View {
  T* data;
  int64_t batch, head, row;  // strides
  T* at(int64_t b, int64_t h, int64_t i) const { return data + b * batch + h * head + i * row; }
};
struct Shape {
  int64_t batch, heads, key_heads, queries, keys, width, value_width;
  double scale;
  bool causal;
};
struct Arguments {
  Shape s;
  View q, k, v, mask, out;
  T* log_sums;
  View g, dq, dk, dv;
};
constexpr int kLanes = (kWidth + 31) / 32, kValueLanes = (kValueWidth + 31) / 32, kWarps = 8;

// 32 rows from `first` on, zeros beyond the last.
template <int width>
inline void read_rows(const View& from, int64_t b, int64_t h, int64_t first, int64_t count, T (&to)[32][width + 1]) {
  for (int i = threadIdx.x; i < 32 * width; i += 256) {
    const int64_t row = first + i / width;
    to[i / width][i % width] = row < count ? from.at(b, h, row)[i % width] : T(0);
  }
}
// Each lane holds some numbers of a row.
template <int lanes>
inline void read_row(const T* row, int width, bool exists, T (&to)[lanes]) {
  for (int k = 0; k < lanes; ++k) {
    const int at = threadIdx.x % 32 + 32 * k;
    to[k] = exists && at < width ? row[at] : T(0);
  }
}
// The product of this warp's row with the row of each lane.
template <int width, int lanes>
inline T products(const T (&mine)[lanes], const T (&rows)[32][width + 1]) {
  T sum = T(0);
#pragma unroll
  for (int k = 0; k < lanes; ++k) {
    for (int d = 0; d < 32 && 32 * k + d < width; ++d)
      sum += __shfl_sync(0xffffffffu, mine[k], d) * rows[threadIdx.x % 32][32 * k + d];
  }
  return sum;
}
// sums += the rows, each weighted by its lane's number.
template <int width, int lanes>
inline void add_rows(T weight, const T (&rows)[32][width + 1], T (&sums)[lanes]) {
  for (int j = 0; j < 32; ++j) {
    const T w = __shfl_sync(0xffffffffu, weight, j);
    for (int k = 0; k < lanes; ++k) {
      const int at = threadIdx.x % 32 + 32 * k;
      if (at < width) sums[k] += w * rows[j][at];
    }
  }
}
template <int lanes>
inline void write_row(T* row, int width, T factor, const T (&from)[lanes]) {
  for (int k = 0; k < lanes; ++k) {
    const int at = threadIdx.x % 32 + 32 * k;
    if (at < width) row[at] = from[k] * factor;
  }
}
inline bool sees(const Shape& s, int64_t query, int64_t key) {
  return query < s.queries && key < s.keys && (!s.causal || key <= query);
}
inline T score(const Arguments& a, int64_t b, int64_t h, int64_t query, int64_t key, T product) {
  if (!sees(a.s, query, key)) return -Format<T>::infinity;
  return product * T(a.s.scale) + (a.mask.data ? a.mask.at(b, h, query)[key] : T(0));
}

KERNEL_BOUNDED(value, Arguments, 256) {
  __shared__ T rows[32][(kWidth > kValueWidth ? kWidth : kValueWidth) + 1];
  auto& keys = *(T(*)[32][kWidth + 1])rows;
  auto& values = *(T(*)[32][kValueWidth + 1])rows;
  const Shape& s = a.s;
  const int64_t b = blockIdx.y / s.heads, h = blockIdx.y % s.heads, key_head = h / (s.heads / s.key_heads);
  const int64_t query = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
  T mine[kLanes], sums[kValueLanes] = {};
  read_row(a.q.at(b, h, query), kWidth, query < s.queries, mine);
  T top = -Format<T>::infinity, total = T(0);
  const int64_t last = s.causal ? (int64_t(blockIdx.x) + 1) * kWarps : s.keys, end = last < s.keys ? last : s.keys;
  for (int64_t first = 0; first < end; first += 32) {
    __syncthreads();
    read_rows<kWidth>(a.k, b, key_head, first, s.keys, keys);
    __syncthreads();
    const T one = score(a, b, h, query, first + threadIdx.x % 32, products<kWidth>(mine, keys));
    const T highest = over_warp(one, Largest()), before = top;
    top = top > highest || top != top ? top : highest;
    const T shrink = before == top ? T(1) : exp(before - top);
    const T weight = one == -Format<T>::infinity ? T(0) : exp(one - top);
    total = total * shrink + over_warp(weight, Sum());
    for (int k = 0; k < kValueLanes; ++k) sums[k] *= shrink;
    __syncthreads();
    read_rows<kValueWidth>(a.v, b, key_head, first, s.keys, values);
    __syncthreads();
    add_rows<kValueWidth>(weight, values, sums);
  }
  if (query >= s.queries) return;
  write_row(a.out.at(b, h, query), kValueWidth, total == T(0) ? T(0) : T(1) / total, sums);
  if (threadIdx.x % 32 == 0) a.log_sums[blockIdx.y * s.queries + query] = total == T(0) ? top : top + log(total);
}

inline T own_product(const Arguments& a, int64_t b, int64_t h, int64_t query) {
  T sum = T(0);
  if (query < a.s.queries) {
    const T *const g = a.g.at(b, h, query), *const out = a.out.at(b, h, query);
    for (int d = threadIdx.x % 32; d < kValueWidth; d += 32) sum += g[d] * out[d];
  }
  return over_warp(sum, Sum());
}

KERNEL_BOUNDED(query_gradients, Arguments, 256) {
  __shared__ T rows[32][(kWidth > kValueWidth ? kWidth : kValueWidth) + 1];
  auto& keys = *(T(*)[32][kWidth + 1])rows;
  auto& values = *(T(*)[32][kValueWidth + 1])rows;
  const Shape& s = a.s;
  const int64_t b = blockIdx.y / s.heads, h = blockIdx.y % s.heads, key_head = h / (s.heads / s.key_heads);
  const int64_t query = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
  const bool exists = query < s.queries;
  T mine[kLanes], incoming[kValueLanes], sums[kLanes] = {};
  read_row(a.q.at(b, h, query), kWidth, exists, mine);
  read_row(a.g.at(b, h, query), kValueWidth, exists, incoming);
  const T own = own_product(a, b, h, query), log_sum = exists ? a.log_sums[blockIdx.y * s.queries + query] : T(0);
  const int64_t last = s.causal ? (int64_t(blockIdx.x) + 1) * kWarps : s.keys, end = last < s.keys ? last : s.keys;
  for (int64_t first = 0; first < end; first += 32) {
    __syncthreads();
    read_rows<kValueWidth>(a.v, b, key_head, first, s.keys, values);
    __syncthreads();
    const T of_value = products<kValueWidth>(incoming, values);
    __syncthreads();
    read_rows<kWidth>(a.k, b, key_head, first, s.keys, keys);
    __syncthreads();
    const T one = score(a, b, h, query, first + threadIdx.x % 32, products<kWidth>(mine, keys));
    const T p = one == -Format<T>::infinity ? T(0) : exp(one - log_sum);
    add_rows<kWidth>(p == T(0) ? T(0) : p * (of_value - own), keys, sums);
  }
  if (exists) write_row(a.dq.at(b, h, query), kWidth, T(s.scale), sums);
}

// A warp for each key; heads that share keys follow one another.
KERNEL_BOUNDED(key_gradients, Arguments, 256) {
  __shared__ T rows[32][(kWidth > kValueWidth ? kWidth : kValueWidth) + 1];
  __shared__ T owns[32];
  auto& queries = *(T(*)[32][kWidth + 1])rows;
  auto& incoming = *(T(*)[32][kValueWidth + 1])rows;
  const Shape& s = a.s;
  const int64_t b = blockIdx.y / s.key_heads, key_head = blockIdx.y % s.key_heads, shared = s.heads / s.key_heads;
  const int64_t key = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
  const bool exists = key < s.keys;
  T mine[kLanes], value[kValueLanes], key_sums[kLanes] = {}, value_sums[kValueLanes] = {};
  read_row(a.k.at(b, key_head, key), kWidth, exists, mine);
  read_row(a.v.at(b, key_head, key), kValueWidth, exists, value);
  const int64_t begin = s.causal ? int64_t(blockIdx.x) * kWarps / 32 * 32 : 0;
  for (int64_t h = key_head * shared; h < (key_head + 1) * shared; ++h) {
    for (int64_t first = begin; first < s.queries; first += 32) {
      __syncthreads();
      for (int i = threadIdx.x / 32; i < 32; i += kWarps) {
        const T own = own_product(a, b, h, first + i);
        if (threadIdx.x % 32 == 0) owns[i] = own;
      }
      read_rows<kWidth>(a.q, b, h, first, s.queries, queries);
      __syncthreads();
      const int64_t query = first + threadIdx.x % 32;
      const T one = exists ? score(a, b, h, query, key, T(0)) : -Format<T>::infinity;
      const T product = products<kWidth>(mine, queries);
      const bool seen = one != -Format<T>::infinity;
      const T p = seen ? exp(product * T(s.scale) + one - a.log_sums[(b * s.heads + h) * s.queries + query]) : T(0);
      __syncthreads();
      read_rows<kValueWidth>(a.g, b, h, first, s.queries, incoming);
      __syncthreads();
      const T of_value = products<kValueWidth>(value, incoming);
      add_rows<kValueWidth>(p, incoming, value_sums);
      __syncthreads();
      read_rows<kWidth>(a.q, b, h, first, s.queries, queries);
      __syncthreads();
      add_rows<kWidth>(seen ? p * (of_value - owns[threadIdx.x % 32]) : T(0), queries, key_sums);
    }
  }
  if (!exists) return;
  write_row(a.dk.at(b, key_head, key), kWidth, T(s.scale), key_sums);
  write_row(a.dv.at(b, key_head, key), kValueWidth, T(1), value_sums);
}
