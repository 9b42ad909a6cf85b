// Indices drawn by weights, row by row. Sums are rounded to the weights' dtype at each step, in PyTorch's order.
struct Arguments {
  const S* weights;
  const S* clocks;  // exponential ones
  S *shares, *totals;
  int64_t* indices;
  uint32_t* faults;
  int64_t rows, columns, samples;
  uint64_t seed, offset;
};
struct Rounded {
  T operator()(T a, T b) const { return load<T>(stored<S>(a + b)); }
};
struct Either {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};
inline int64_t row_begin(const Arguments& a) { return int64_t(blockIdx.x) * a.columns; }

// 1: below zero or not a number; 2: infinite; 4: a row adds up to nothing.
KERNEL_BOUNDED(check, Arguments, 256) {
  const S* weights = a.weights + row_begin(a);
  uint32_t faults = 0;
  double sum = 0;
  for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x) {
    const double weight = load<double>(weights[i]);
    if (!(weight >= 0)) faults |= 1;
    if (weight == Format<double>::infinity) faults |= 2;
    sum += weight;
  }
  sum = over_block(sum, Sum());
  faults = over_block(faults, Either());
  if (!(sum > 0)) faults |= 4;
  if (threadIdx.x == 0 && faults) atomicOr(a.faults, faults);
}

// As many threads as the row has elements, in whole warps, 1024 at most.
KERNEL_BOUNDED(divide_by_sum, Arguments, 1024) {
  __shared__ T of_warps[32];
  const int64_t begin = row_begin(a);
  const Rounded add;
  T sum = 0;
  for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x) sum = add(sum, load<T>(a.weights[begin + i]));
  sum = over_warp(sum, add);
  if (threadIdx.x < 32) of_warps[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = over_warp(of_warps[threadIdx.x % 32], add);
  for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x)
    a.shares[begin + i] = stored<S>(load<T>(a.weights[begin + i]) / sum);
}

// Running totals of a row, by blocks of twice as many elements as there are threads.
KERNEL_BOUNDED(totals_of_rows, Arguments, 512) {
  __shared__ T entries[1024];
  const int64_t begin = row_begin(a);
  const int me = int(threadIdx.x), threads = int(blockDim.x);
  const Rounded add;
  T carried = 0;
  for (int64_t block = 0; block < a.columns; block += 2 * threads) {
    for (int k = me; k < 2 * threads; k += threads)
      entries[k] = block + k < a.columns ? load<T>(a.shares[begin + block + k]) : T(0);
    if (me == 0) entries[0] = add(entries[0], carried);
    __syncthreads();
    for (int width = 1; width <= threads; width *= 2) {
      const int group = me / width * 2 * width + width;
      entries[group + me % width] = add(entries[group + me % width], entries[group - 1]);
      __syncthreads();
    }
    for (int k = me; k < 2 * threads; k += threads) {
      if (block + k < a.columns) a.totals[begin + block + k] = stored<S>(entries[k]);
    }
    carried = entries[2 * threads - 1];
    __syncthreads();
  }
}

// Of a single row, whose elements are dealt to the threads in one piece each.
KERNEL_BOUNDED(totals_of_one_row, Arguments, 1024) {
  __shared__ double before[1024];
  const int64_t each = (a.columns + 1023) / 1024, first = int64_t(threadIdx.x) * each;
  const int64_t last = first + each < a.columns ? first + each : a.columns;
  double sum = 0;
  for (int64_t i = first; i < last; ++i) sum += load<double>(a.shares[i]);
  before[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int k = 0; k < 1024; ++k) {
      const double here = before[k];
      before[k] = total;
      total += here;
    }
  }
  __syncthreads();
  sum = before[threadIdx.x];
  for (int64_t i = first; i < last; ++i) {
    sum += load<double>(a.shares[i]);
    a.totals[i] = stored<S>(sum);
  }
}

KERNEL_BOUNDED(draw, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.rows * a.samples) return;
  const int64_t row = i / a.samples, sample = i % a.samples, begin = row * a.columns;
  const int64_t of_grid = a.rows < 65535 ? a.rows : 65535, width = (a.samples + 127) / 128 * 128;
  const Words words = philox(a.seed, uint64_t(row % of_grid * width + sample), a.offset / 4 + row / of_grid);
  const T u = load<T>(stored<S>(T(unit32(words.at[0]))));
  int64_t low = 0, high = a.columns;
  while (low < high) {  // totals of halves need not rise, so each step counts
    const int64_t middle = low + (high - low) / 2;
    if (load<T>(a.totals[begin + middle]) < u)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == a.columns) low = a.columns - 1;
  while (low > 0 && load<T>(a.shares[begin + low]) == 0) --low;
  a.indices[i] = low;
}

// Whose clock rings first is the largest.
KERNEL_BOUNDED(race, Arguments, 256) {
  const int64_t i = thread_number();
  if (i < a.rows * a.columns) a.shares[i] = stored<S>(load<T>(a.weights[i]) / load<T>(a.clocks[i]));
}

// The first of the largest of a row.
KERNEL_BOUNDED(winner, Arguments, 256) {
  const int64_t begin = row_begin(a);
  T best = -Format<T>::infinity;
  for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x) best = Largest()(best, load<T>(a.shares[begin + i]));
  best = over_block(best, Largest());
  int64_t first = a.columns;
  for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x) {
    const T x = load<T>(a.shares[begin + i]);
    if (i < first && (x == best || x != x)) first = i;
  }
  first = over_block(first, Smallest());
  if (threadIdx.x == 0) a.indices[blockIdx.x] = first;
}
