// Sliding blocks of images (planes, height, width) as columns (planes, taps, blocks). A thread has an element.
struct Arguments {
  int64_t height, width, rows, columns, kernel[2], dilation[2], padding[2], stride[2], planes;
  const S* from;
  S* to;
};

KERNEL_BOUNDED(take, Arguments, 256) {
  const int64_t count = a.planes * a.kernel[0] * a.kernel[1] * a.rows * a.columns;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    I rest = I(i);
    const int64_t column = rest % I(a.columns);
    rest /= I(a.columns);
    const int64_t row = rest % I(a.rows);
    rest /= I(a.rows);
    const int64_t kx = rest % I(a.kernel[1]);
    rest /= I(a.kernel[1]);
    const int64_t ky = rest % I(a.kernel[0]), plane = rest / I(a.kernel[0]);
    const int64_t y = row * a.stride[0] - a.padding[0] + ky * a.dilation[0];
    const int64_t x = column * a.stride[1] - a.padding[1] + kx * a.dilation[1];
    const bool inside = y >= 0 && y < a.height && x >= 0 && x < a.width;
    a.to[i] = inside ? a.from[(plane * a.height + y) * a.width + x] : S(0);
  }
}

// The block along one dimension whose tap `tap` reads the element at `at`; -1: none.
inline int64_t block_of(const Arguments& a, int d, int64_t at, int64_t tap, int64_t blocks) {
  const int64_t begin = at + a.padding[d] - tap * a.dilation[d];
  if (begin < 0) return -1;
  const int64_t block = I(begin) / I(a.stride[d]);
  return block * a.stride[d] == begin && block < blocks ? block : -1;
}
KERNEL_BOUNDED(add, Arguments, 256) {
  const int64_t count = a.planes * a.height * a.width;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const int64_t x = I(i) % I(a.width), rest = I(i) / I(a.width), y = I(rest) % I(a.height), plane = I(rest) / I(a.height);
    S sum = S(0);
    for (int64_t ky = 0; ky < a.kernel[0]; ++ky) {
      const int64_t row = block_of(a, 0, y, ky, a.rows);
      for (int64_t kx = 0; row >= 0 && kx < a.kernel[1]; ++kx) {
        const int64_t column = block_of(a, 1, x, kx, a.columns), tap = (plane * a.kernel[0] + ky) * a.kernel[1] + kx;
        if (column >= 0) sum += a.from[(tap * a.rows + row) * a.columns + column];
      }
    }
    a.to[i] = sum;
  }
}
