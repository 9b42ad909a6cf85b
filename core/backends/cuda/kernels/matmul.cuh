// A product of matrices of any strides, by tiles: for what the library does not multiply.
struct Arguments {
  const S *a, *b;
  Out* out;
  int64_t m, n, k, batch, a_row, a_column, a_step, b_row, b_column, b_step;
  double alpha[2], beta[2];  // the bytes of a T each
};

KERNEL_BOUNDED(multiply, Arguments, 256) {
  constexpr int kTile = 16;
  __shared__ T left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int64_t columns = (a.n + kTile - 1) / kTile;
  const int64_t row0 = int64_t(blockIdx.x) / columns * kTile, column0 = int64_t(blockIdx.x) % columns * kTile;
  const int y = threadIdx.x / kTile, x = threadIdx.x % kTile;
  const S* const from_a = a.a + blockIdx.y * a.a_step;
  const S* const from_b = a.b + blockIdx.y * a.b_step;
  T sum = T(0);
  for (int64_t depth = 0; depth < a.k; depth += kTile) {
    const bool in_a = row0 + y < a.m && depth + x < a.k, in_b = depth + y < a.k && column0 + x < a.n;
    left[y][x] = in_a ? load<T>(from_a[(row0 + y) * a.a_row + (depth + x) * a.a_column]) : T(0);
    right[y][x] = in_b ? load<T>(from_b[(depth + y) * a.b_row + (column0 + x) * a.b_column]) : T(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum = sum + left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row0 + y >= a.m || column0 + x >= a.n) return;
  Out* const to = a.out + blockIdx.y * a.m * a.n + (row0 + y) * a.n + column0 + x;
  const T alpha = *(const T*)a.alpha, beta = *(const T*)a.beta, scaled = alpha * sum;
  *to = stored<Out>(beta == T(0) ? scaled : T(scaled + beta * load<T>(*to)));
}
