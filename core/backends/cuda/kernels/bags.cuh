// Bags of rows of a table, and rows that are shrunk: see backends/embedding.hpp. Indices that lead nowhere are told
// later, and count for nothing. T is what is calculated with.
struct Arguments {
  const int64_t* indices;
  int64_t rows, width, padding;
  const int64_t* starts;
  int64_t bags, n;
  const S* table;
  const T* factors;
  T* to;
  double* shares;
  int64_t* numbers;
  bool mean;
  S* shrunk;
  unsigned* claims;  // which rows somebody works on
  double most, power;
};
inline int64_t limited_to(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }
inline int64_t begin_of(const Arguments& a, int64_t bag) { return limited_to(a.starts[bag], a.n); }
inline int64_t end_of(const Arguments& a, int64_t bag) {
  if (bag + 1 == a.bags) return a.n;
  const int64_t begin = begin_of(a, bag), next = begin_of(a, bag + 1);
  return begin > next ? begin : next;
}
// The row at that place, or -1 if it counts for nothing.
inline int64_t row_at(const Arguments& a, int64_t place) {
  const int64_t row = a.indices[place];
  if (row == a.padding) return -1;
  if (uint64_t(row) < uint64_t(a.rows)) return row;
  report_index(row, a.rows);
  return -1;
}
inline double share_of(const Arguments& a, int64_t bag) {
  int64_t size = 0;
  for (int64_t i = begin_of(a, bag); i < end_of(a, bag); ++i) size += a.indices[i] != a.padding;
  return 1.0 / double(size > 1 ? size : 1);
}

KERNEL_BOUNDED(bag_sums, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.bags * a.width; k += thread_count()) {
    const int64_t bag = k / a.width, column = k - bag * a.width, end = end_of(a, bag);
    T total = T(0);
    for (int64_t i = begin_of(a, bag); i < end; ++i) {
      const int64_t row = row_at(a, i);
      if (row >= 0) total = fma(a.factors ? a.factors[i] : T(1), load<T>(a.table[row * a.width + column]), total);
    }
    a.to[k] = a.mean ? T(total * T(share_of(a, bag))) : total;
  }
}
KERNEL_BOUNDED(bag_shares, Arguments, 256) {
  const int64_t bag = thread_number();
  if (bag < a.bags) a.shares[bag] = share_of(a, bag);
}
// A block for each bag.
KERNEL_BOUNDED(bag_numbers, Arguments, 256) {
  const int64_t bag = blockIdx.x, end = end_of(a, bag);
  for (int64_t i = begin_of(a, bag) + threadIdx.x; i < end; i += 256) a.numbers[i] = bag;
}

// A block for each index; whose row another one has, goes.
KERNEL_BOUNDED(shrink, Arguments, 256) {
  __shared__ int64_t mine;
  if (threadIdx.x == 0) {
    const int64_t row = a.indices[blockIdx.x];
    const bool exists = uint64_t(row) < uint64_t(a.rows);
    if (!exists) report_index(row, a.rows);
    mine = exists && atomicExch(a.claims + row, 1u) == 0 ? row : -1;
  }
  __syncthreads();
  if (mine < 0) return;
  S* const row = a.shrunk + mine * a.width;
  const bool is_largest = abs(a.power) == Format<double>::infinity;
  double total = 0;
  for (int64_t j = threadIdx.x; j < a.width; j += 256) {
    const double size = abs(double(load<T>(row[j])));
    total = is_largest ? (size > total || size != size ? size : total) : total + pow(size, a.power);
  }
  total = is_largest ? over_block(total, Largest()) : over_block(total, Sum());
  const double norm = is_largest ? total : pow(total, 1 / a.power);
  if (norm <= a.most) return;
  const T scale = T(a.most / (norm + 1e-7));
  for (int64_t j = threadIdx.x; j < a.width; j += 256) row[j] = stored<S>(T(load<T>(row[j]) * scale));
}
