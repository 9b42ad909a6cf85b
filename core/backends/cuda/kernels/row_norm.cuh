// Rows that are brought to mean 0 and variance 1. kGroup threads share a row: a warp, or 256. Parameters are of type T.
struct Arguments {
  const S *x, *g;
  const T *weight, *bias;
  S* to;
  double* statistics;  // of each row: mean and 1 / deviation
  T *weight_sums, *bias_sums;  // of each part of the rows
  int64_t rows, n, parts;
  double eps;
  bool centred;
};
template <class V>
inline V over_row(V v) {
  if constexpr (kGroup == 32)
    return over_warp(v, Sum());
  else
    return over_block(v, Sum());
}

KERNEL_BOUNDED(value, Arguments, 256) {
  const int64_t row = thread_number() / kGroup, lane = thread_number() % kGroup, n = row < a.rows ? a.n : 0;
  const S* const x = a.x + row * a.n;
  T mean = T(0), squares = T(0);
  if (a.centred) {
    for (int64_t i = lane; i < n; i += kGroup) mean += load<T>(x[i]);
    mean = over_row(mean) / T(a.n);
  }
  for (int64_t i = lane; i < n; i += kGroup) {
    const T distance = load<T>(x[i]) - mean;
    squares += distance * distance;
  }
  const T rstd = T(1) / sqrt(over_row(squares) / T(a.n) + T(a.eps));
  if (lane == 0 && row < a.rows) {
    a.statistics[2 * row] = mean;
    a.statistics[2 * row + 1] = rstd;
  }
  for (int64_t i = lane; i < n; i += kGroup) {
    const T y = (load<T>(x[i]) - mean) * rstd * (a.weight ? a.weight[i] : T(1));
    a.to[row * a.n + i] = stored<S>(a.bias ? y + a.bias[i] : y);
  }
}

KERNEL_BOUNDED(gradient, Arguments, 256) {
  const int64_t row = thread_number() / kGroup, lane = thread_number() % kGroup, n = row < a.rows ? a.n : 0;
  const S *const x = a.x + row * a.n, *const g = a.g + row * a.n;
  const T mean = row < a.rows ? T(a.statistics[2 * row]) : T(0), rstd = row < a.rows ? T(a.statistics[2 * row + 1]) : T(0);
  T sum = T(0), product = T(0);
  for (int64_t i = lane; i < n; i += kGroup) {
    const T weighted = load<T>(g[i]) * (a.weight ? a.weight[i] : T(1));
    sum += weighted;
    product += weighted * ((load<T>(x[i]) - mean) * rstd);
  }
  sum = a.centred ? over_row(sum) / T(a.n) : T(0);
  product = over_row(product) / T(a.n);
  for (int64_t i = lane; i < n; i += kGroup) {
    const T weighted = load<T>(g[i]) * (a.weight ? a.weight[i] : T(1)), scaled = (load<T>(x[i]) - mean) * rstd;
    a.to[row * a.n + i] = stored<S>((weighted - sum - scaled * product) * rstd);
  }
}

// The sums over rows of g * scaled x and of g: 32 columns side by side, 8 threads for each.
KERNEL_BOUNDED(parameter_gradients, Arguments, 256) {
  __shared__ T weights[8][33], biases[8][33];
  const int64_t column = int64_t(blockIdx.x) * 32 + threadIdx.x % 32, part = blockIdx.y;
  const int lane = threadIdx.x % 32, line = threadIdx.x / 32;
  T weight = T(0), bias = T(0);
  if (column < a.n) {
    for (int64_t row = part * 8 + line; row < a.rows; row += a.parts * 8) {
      const T g = load<T>(a.g[row * a.n + column]);
      const T mean = T(a.statistics[2 * row]), rstd = T(a.statistics[2 * row + 1]);
      weight += g * ((load<T>(a.x[row * a.n + column]) - mean) * rstd);
      bias += g;
    }
  }
  weights[line][lane] = weight;
  biases[line][lane] = bias;
  __syncthreads();
  if (line != 0 || column >= a.n) return;
  for (int k = 1; k < 8; ++k) {
    weight += weights[k][lane];
    bias += biases[k][lane];
  }
  if (a.weight_sums) a.weight_sums[part * a.n + column] = weight;
  if (a.bias_sums) a.bias_sums[part * a.n + column] = bias;
}
