// Elements of rows by their rank, a block for each row: digits of the keys from the highest on say which key has the
// rank. K is the type of a key; NaN is the largest.
struct Arguments {
  const S* x;
  S* values;
  int64_t* indices;
  const int64_t* order;  // of rows that are sorted: where each element was
  int64_t rows, n, k;
  bool largest, of_numbers, ignore_nan;  // of_numbers: the median, whose rank depends on how many are no NaN
};
inline K key_of(const Arguments& a, S x) { return a.largest ? K(~order_key(x)) : order_key(x); }

// The key at place `rank` of the row in order; `rank` becomes the place among those that are equal to it.
inline K key_at_rank(const Arguments& a, const S* x, int64_t& rank) {
  __shared__ unsigned counts[256];
  __shared__ int found;
  __shared__ int64_t left;
  K prefix = 0, known = 0;
  for (int shift = 8 * int(sizeof(K)) - 8; shift >= 0; shift -= 8) {
    __syncthreads();
    if (threadIdx.x < 256) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
      const K key = key_of(a, x[i]);
      if ((key & known) == prefix) atomicAdd(&counts[int(key >> shift) & 255], 1u);
    }
    __syncthreads();
    const int64_t here = threadIdx.x < 256 ? counts[threadIdx.x] : 0;
    int64_t all;
    const int64_t before = before_in_block(here, int64_t(0), Sum(), all);
    if (before <= rank && rank < before + here) found = threadIdx.x, left = rank - before;
    __syncthreads();
    prefix |= K(found) << shift;
    known |= K(255) << shift;
    rank = left;
  }
  return prefix;
}

// The k smallest (largest) in the order of their indices: all that are beyond the key, and the first of those equal.
KERNEL_BOUNDED(topk, Arguments, 1024) {
  const int64_t row = blockIdx.x;
  const S* const x = a.x + row * a.n;
  int64_t needed = a.k - 1;
  const K limit = key_at_rank(a, x, needed);
  ++needed;  // how many of the equal ones are taken
  int64_t beyond = 0, equal = 0;
  for (int64_t begin = 0; begin < a.n; begin += blockDim.x) {
    const int64_t i = begin + threadIdx.x;
    const K key = i < a.n ? key_of(a, x[i]) : K(~K(0));
    const bool is_beyond = i < a.n && key < limit, is_equal = i < a.n && key == limit;
    int64_t all;  // both counts in one word
    const int64_t both = before_in_block(is_beyond + (int64_t(is_equal) << 32), int64_t(0), Sum(), all);
    const int64_t beyond_before = beyond + (both & 0xffffffff), equal_before = equal + (both >> 32);
    if (is_beyond || (is_equal && equal_before < needed)) {
      const int64_t to = row * a.k + beyond_before + (equal_before < needed ? equal_before : needed);
      a.values[to] = x[i];
      a.indices[to] = i;
    }
    beyond += all & 0xffffffff;
    equal += all >> 32;
  }
}

struct Earliest {
  int64_t operator()(int64_t a, int64_t b) const { return a < b ? a : b; }
};
// One element of each row: that of a rank, equal ones in their order, or the first NaN.
KERNEL_BOUNDED(ranked, Arguments, 1024) {
  __shared__ int64_t chosen;
  const int64_t row = blockIdx.x;
  const S* const x = a.x + row * a.n;
  int64_t rank = a.k;
  if (a.of_numbers) {
    int64_t numbers = 0, first = a.n;
    for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
      const bool is_nan = is_nan_key<S>(order_key(x[i]));
      numbers += !is_nan;
      if (is_nan && i < first) first = i;
    }
    numbers = over_block(numbers, Sum());
    first = over_block(first, Earliest());
    if (numbers < a.n && !a.ignore_nan) {
      if (threadIdx.x == 0) a.indices[row] = first, a.values[row] = x[first];
      return;
    }
    rank = numbers > 0 ? (numbers - 1) / 2 : 0;
  }
  const K key = key_at_rank(a, x, rank);
  for (int64_t begin = 0, seen = 0; begin < a.n && seen <= rank; begin += blockDim.x) {
    const int64_t i = begin + threadIdx.x;
    const bool here = i < a.n && key_of(a, x[i]) == key;
    int64_t all;
    const int64_t before = seen + before_in_block(int64_t(here), int64_t(0), Sum(), all);
    if (here && before == rank) chosen = i;
    seen += all;
  }
  __syncthreads();
  if (threadIdx.x == 0) a.indices[row] = chosen, a.values[row] = x[chosen];
}

// The same for rows that are sorted, a thread each.
KERNEL_BOUNDED(ranked_in_order, Arguments, 256) {
  const int64_t row = thread_number();
  if (row >= a.rows) return;
  const S* const x = a.x + row * a.n;
  int64_t rank = a.k;
  if (a.of_numbers) {
    int64_t numbers = 0, end = a.n;  // the first NaN is in between
    while (numbers < end) {
      const int64_t middle = numbers + (end - numbers) / 2;
      if (is_nan_key<S>(order_key(x[middle])))
        end = middle;
      else
        numbers = middle + 1;
    }
    rank = numbers < a.n && !a.ignore_nan ? numbers : numbers > 0 ? (numbers - 1) / 2 : 0;
  }
  a.values[row] = x[rank];
  a.indices[row] = a.order[row * a.n + rank];
}
// The most frequent element of a sorted row, the smallest of several: the last of its equals. NaN equals nothing.
KERNEL_BOUNDED(mode_in_order, Arguments, 256) {
  __shared__ int64_t chosen;
  const int64_t row = blockIdx.x;
  const S* const x = a.x + row * a.n;
  int64_t longest = 0, at = 0;
  for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
    const K key = order_key(x[i]);
    const bool is_nan = is_nan_key<S>(key);
    if (i + 1 < a.n && order_key(x[i + 1]) == key && !is_nan) continue;
    int64_t low = 0, high = i;  // where its equals begin
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (order_key(x[middle]) < key)
        low = middle + 1;
      else
        high = middle;
    }
    const int64_t length = is_nan ? 1 : i - low + 1;
    if (length > longest) longest = length, at = i;
  }
  const int64_t most = over_block(longest, Largest());
  const int64_t first = over_block(longest == most ? at : a.n, Earliest());
  if (threadIdx.x == 0) a.values[row] = x[first], a.indices[row] = a.order[row * a.n + first];
}
// Of rows of k that were sorted: where each was before that.
KERNEL_BOUNDED(follow, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.rows * a.k; i += thread_count()) {
    const int64_t row = i / a.k;
    a.indices[i] = a.order[row * a.k + a.indices[i]];
  }
}
// The first k of rows that are sorted.
KERNEL_BOUNDED(leading, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.rows * a.k; i += thread_count()) {
    const int64_t row = i / a.k, from = row * a.n + (i - row * a.k);
    a.values[i] = a.x[from];
    a.indices[i] = a.order[from];
  }
}
