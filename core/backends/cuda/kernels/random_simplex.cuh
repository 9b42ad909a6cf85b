// Rows of gamma samples become points of the simplex, inside of it as far as the dtype can tell. A block has a row.
struct Arguments {
  const S* gammas;
  S* out;
  int64_t columns;
};

KERNEL_BOUNDED(normalise, Arguments, 256) {
  const int64_t begin = int64_t(blockIdx.x) * a.columns;
  T sum = 0;
  for (int64_t i = threadIdx.x; i < a.columns; i += 256) sum += load<T>(a.gammas[begin + i]);
  sum = load<T>(stored<S>(over_block(sum, Sum())));
  for (int64_t i = threadIdx.x; i < a.columns; i += 256) {
    T x = load<T>(stored<S>(load<T>(a.gammas[begin + i]) / sum));
    x = T(kSmallest) > x ? T(kSmallest) : x;
    x = T(kLargest) < x ? T(kLargest) : x;
    a.out[begin + i] = stored<S>(x);
  }
}
