// Numbers become the sums of those before them, by tiles whose own totals are summed up in the same way.
struct Arguments {
  int64_t* numbers;
  int64_t n;
  int64_t *totals, *bases;  // by tile
};
constexpr int kEach = 8, kTile = 256 * kEach;

KERNEL_BOUNDED(sum_tiles, Arguments, 256) {
  const int64_t begin = int64_t(blockIdx.x) * kTile + threadIdx.x * kEach;
  int64_t mine[kEach], sum = 0, total;
  for (int k = 0; k < kEach; ++k) {
    mine[k] = begin + k < a.n ? a.numbers[begin + k] : 0;
    sum += mine[k];
  }
  int64_t before = before_in_block(sum, int64_t(0), Sum(), total);
  for (int k = 0; k < kEach; ++k) {
    if (begin + k < a.n) a.numbers[begin + k] = before;
    before += mine[k];
  }
  if (threadIdx.x == 0 && a.totals) a.totals[blockIdx.x] = total;
}
KERNEL_BOUNDED(add_bases, Arguments, 256) {
  const int64_t i = thread_number();
  if (i < a.n) a.numbers[i] += a.bases[i / kTile];
}
