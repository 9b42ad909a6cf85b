// Convolution as a product of matrices that are never written: a block has 64 x 64 results of one group, and reads what
// they need 16 deep at a time. kPass says which of the three products: the value, or the gradient of the input or of
// the weight.
struct Arguments {
  int64_t batch, groups, in_channels, out_channels;  // channels of one group
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  const S *a, *b, *bias;
  S* to;
  T* partial;                    // (parts, all results); null: there is one part
  int64_t rows, columns, depth;  // of a group's product
  int64_t parts, part_depth;
  int64_t volume(const int64_t (&e)[3]) const { return e[0] * e[1] * e[2]; }
  int64_t taps() const { return volume(kernel); }
};
enum { kValue, kInputGradient, kWeightGradient };

struct Three {
  int64_t at[3];
  Three(int64_t number, const int64_t (&sizes)[3]) {
    const I rest = I(number) / I(sizes[2]);
    at[2] = number - int64_t(rest) * sizes[2];
    at[0] = rest / I(sizes[1]);
    at[1] = rest - I(at[0]) * I(sizes[1]);
  }
};

// Where output p reads the input with a tap; -1: beside it.
inline int64_t place_in_input(const Arguments& a, const Three& p, const Three& tap) {
  int64_t at = 0;
  for (int d = 0; d < 3; ++d) {
    const int64_t x = p.at[d] * a.stride[d] - a.padding[d] + tap.at[d] * a.dilation[d];
    if (x < 0 || x >= a.in[d]) return -1;
    at = at * a.in[d] + x;
  }
  return at;
}
// The output that reads input p with a tap; -1: none.
inline int64_t place_in_output(const Arguments& a, const Three& p, const Three& tap) {
  int64_t at = 0;
  for (int d = 0; d < 3; ++d) {
    const int64_t begin = p.at[d] + a.padding[d] - tap.at[d] * a.dilation[d];
    if (begin < 0) return -1;
    const int64_t y = I(begin) / I(a.stride[d]);
    if (y * a.stride[d] != begin || y >= a.out[d]) return -1;
    at = at * a.out[d] + y;
  }
  return at;
}

struct Split {
  int64_t whole, rest;
  Split(int64_t number, int64_t by) : whole(I(number) / I(by)), rest(number - whole * by) {}
};

// Where elements lie. With kLast all channels of a place are side by side.
inline int64_t in_images(int64_t image, int64_t channels, int64_t channel, int64_t pixels, int64_t pixel) {
  return kLast ? (image * pixels + pixel) * channels + channel : (image * channels + channel) * pixels + pixel;
}
inline int64_t in_input(const Arguments& a, int64_t image, int64_t group, int64_t channel, int64_t pixel) {
  return in_images(image, a.groups * a.in_channels, group * a.in_channels + channel, a.volume(a.in), pixel);
}
inline int64_t in_output(const Arguments& a, int64_t image, int64_t group, int64_t channel, int64_t pixel) {
  return in_images(image, a.groups * a.out_channels, group * a.out_channels + channel, a.volume(a.out), pixel);
}
inline int64_t in_weight(const Arguments& a, int64_t group, int64_t out, int64_t in, int64_t tap) {
  return in_images(group * a.out_channels + out, a.in_channels, in, a.taps(), tap);
}

inline T left(const Arguments& a, int64_t group, int64_t row, int64_t k) {
  if (kPass == kWeightGradient) {
    const Split image(k, a.volume(a.out));
    return load<T>(a.a[in_output(a, image.whole, group, row, image.rest)]);
  }
  const Split channel(k, a.taps());
  if (kPass == kValue) return load<T>(a.b[in_weight(a, group, row, channel.whole, channel.rest)]);
  return load<T>(a.b[in_weight(a, group, channel.whole, row, channel.rest)]);
}

inline T right(const Arguments& a, int64_t group, int64_t k, int64_t column) {
  if (kPass == kWeightGradient) {
    const Split image(k, a.volume(a.out)), channel(column, a.taps());
    const int64_t at = place_in_input(a, Three(image.rest, a.out), Three(channel.rest, a.kernel));
    if (at < 0) return T(0);
    return load<T>(a.b[in_input(a, image.whole, group, channel.whole, at)]);
  }
  const Split channel(k, a.taps());
  const Three tap(channel.rest, a.kernel);
  if (kPass == kValue) {
    const Split image(column, a.volume(a.out));
    const int64_t at = place_in_input(a, Three(image.rest, a.out), tap);
    if (at < 0) return T(0);
    return load<T>(a.a[in_input(a, image.whole, group, channel.whole, at)]);
  }
  const Split image(column, a.volume(a.in));
  const int64_t at = place_in_output(a, Three(image.rest, a.in), tap);
  if (at < 0) return T(0);
  return load<T>(a.a[in_output(a, image.whole, group, channel.whole, at)]);
}

inline int64_t place_of_result(const Arguments& a, int64_t group, int64_t row, int64_t column) {
  const Split outer(column, kPass == kWeightGradient ? a.taps() : kPass == kValue ? a.volume(a.out) : a.volume(a.in));
  if (kPass == kWeightGradient) return in_weight(a, group, row, outer.whole, outer.rest);
  return kPass == kValue ? in_output(a, outer.whole, group, row, outer.rest) : in_input(a, outer.whole, group, row, outer.rest);
}
inline T bias_of(const Arguments& a, int64_t channel) { return a.bias ? load<T>(a.bias[channel]) : T(0); }

KERNEL_BOUNDED(convolve, Arguments, 256) {
  constexpr int kTile = 64, kDeep = 16;
  __shared__ T lefts[kDeep][kTile + 1], rights[kDeep][kTile + 1];
  const int64_t row_tiles = (a.rows + kTile - 1) / kTile, column_tiles = (a.columns + kTile - 1) / kTile;
  const int64_t tile = int64_t(blockIdx.x) % (row_tiles * column_tiles), group = int64_t(blockIdx.x) / (row_tiles * column_tiles);
  const int64_t row0 = tile % row_tiles * kTile, column0 = tile / row_tiles * kTile, part = blockIdx.y;
  const int64_t begin = part * a.part_depth, end = begin + a.part_depth < a.depth ? begin + a.part_depth : a.depth;
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  T sums[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sums[i][j] = T(0);
  for (int64_t depth = begin; depth < end; depth += kDeep) {
    for (int i = 0; i < 4; ++i) {
      const int row = y + 16 * i;
      const bool there = row0 + row < a.rows && depth + x < end;
      lefts[x][row] = there ? left(a, group, row0 + row, depth + x) : T(0);
      // Neighbouring threads take neighbouring pixels: these lie along the columns, or along the depth.
      const int column = kPass == kWeightGradient ? row : thread % kTile, k = kPass == kWeightGradient ? x : thread / kTile + 4 * i;
      const bool exists = column0 + column < a.columns && depth + k < end;
      rights[k][column] = exists ? right(a, group, depth + k, column0 + column) : T(0);
    }
    __syncthreads();
    for (int k = 0; k < kDeep; ++k) {
      T l[4], r[4];
      for (int i = 0; i < 4; ++i) l[i] = lefts[k][y + 16 * i];
      for (int j = 0; j < 4; ++j) r[j] = rights[k][x + 16 * j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += l[i] * r[j];
    }
    __syncthreads();
  }
  const int64_t results = a.groups * a.rows * a.columns;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int64_t row = row0 + y + 16 * i, column = column0 + x + 16 * j;
      if (row >= a.rows || column >= a.columns) continue;
      const int64_t at = place_of_result(a, group, row, column);
      if (a.partial)
        a.partial[part * results + at] = sums[i][j];
      else
        a.to[at] = stored<S>(T(sums[i][j] + bias_of(a, group * a.rows + row)));
    }
  }
}

KERNEL_BOUNDED(join_parts, Arguments, 256) {
  const int64_t results = a.groups * a.rows * a.columns, pixels = kPass == kValue ? a.volume(a.out) : a.volume(a.in);
  for (int64_t i = thread_number(); i < results; i += thread_count()) {
    T sum = kPass == kWeightGradient ? T(0) : bias_of(a, (kLast ? i : i / pixels) % (a.groups * a.rows));
    for (int64_t part = 0; part < a.parts; ++part) sum += a.partial[part * results + i];
    a.to[i] = stored<S>(sum);
  }
}
