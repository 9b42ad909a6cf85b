// Images read at the places that a grid gives: a thread has a point, and all channels there.
enum { kLinear, kNearest, kCubic };
enum { kZeros, kBorder, kReflection };
struct Sampler {
  int32_t dims;
  int64_t interpolation, padding;
  bool align_corners;
};
struct Arguments {
  Sampler sampler;
  int64_t batch, channels, points, size[3];
  const T *x, *grid, *g;
  T *y, *dx, *d_grid;
  int64_t* index;
  T *inside, *rate, *rest;
  int64_t plane() const { return size[0] * size[1] * size[2]; }
};

// A position along one dimension, in elements, and how it changes with the grid's number.
struct Coordinate {
  T at, slope;
};
inline T magnitude(T x) { return x < T(0) ? -x : x; }
inline bool is_somewhere(T x) { return x - x == T(0); }
inline Coordinate in_elements(T x, int64_t size, bool align_corners) {
  const T n = T(size);
  if (align_corners) return {(x + T(1)) / T(2) * (n - T(1)), (n - T(1)) / T(2)};
  return {((x + T(1)) * n - T(1)) / T(2), n / T(2)};
}
inline Coordinate clipped(Coordinate c, int64_t size) {
  const T last = T(size - 1);
  if (!(c.at > T(0))) return {T(0), T(0)};
  if (c.at >= last) return {last, T(0)};
  return c;
}
// Mirrored at both ends until it is inside; the ends are given doubled, so that they may lie between elements.
inline Coordinate reflected(Coordinate c, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) return {T(0), T(0)};
  const T low = T(twice_low) / T(2), span = T(twice_high - twice_low) / T(2);
  const T distance = magnitude(c.at - low), slope = c.at - low < T(0) ? -c.slope : c.slope;
  if (distance < span) return {distance + low, slope};
  const T extra = fmod(distance, span), turns = floor(distance / span);
  if (fmod(turns, T(2)) == T(0)) return {extra + low, slope};
  return {span - extra + low, -slope};
}
inline Coordinate padded(Coordinate c, int64_t size, const Sampler& s) {
  if (s.padding == kBorder) return clipped(c, size);
  if (s.padding == kReflection)
    return clipped(s.align_corners ? reflected(c, 0, 2 * (size - 1)) : reflected(c, -1, 2 * size - 1), size);
  // What does not fit an index lies outside.
  return magnitude(c.at) < T(1e9) ? c : Coordinate{T(-100), T(0)};
}

// What one dimension contributes: up to four elements, their weights and the weights' slopes. -1: outside. The weights
// are those of `part`, which changes with the grid's number at the given rate.
struct Reading {
  int count = 1;
  int64_t index[4] = {0, 0, 0, 0};
  T weight[4] = {T(1), T(0), T(0), T(0)}, slope[4] = {T(0), T(0), T(0), T(0)};
  T part = T(1), rate = T(0);
};
inline T cubic_weight(T x) {
  const T a = T(-0.75);
  return x <= T(1) ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}
inline T cubic_slope(T x) {
  const T a = T(-0.75);
  return x <= T(1) ? (3 * (a + 2) * x - 2 * (a + 3)) * x : (3 * a * x - 10 * a) * x + 8 * a;
}
inline int64_t inside(int64_t i, int64_t size) { return i >= 0 && i < size ? i : -1; }

inline void read_cubic(Coordinate c, int64_t size, const Sampler& s, Reading& r) {
  const bool some = is_somewhere(c.at);
  const T whole = some ? floor(c.at) : T(-100), t = some ? c.at - whole : Format<T>::nan;
  r.count = 4;
  r.part = t;
  r.rate = c.slope;
  for (int k = 0; k < 4; ++k) {
    const T at = padded(Coordinate{whole - T(1) + T(k), T(0)}, size, s).at, distance = magnitude(t + T(1) - T(k));
    r.index[k] = inside(int64_t(at), size);
    r.weight[k] = cubic_weight(distance);
    r.slope[k] = T(k < 2 ? 1 : -1) * cubic_slope(distance) * c.slope;
  }
}
inline void read(T x, int64_t size, const Sampler& s, Reading& r) {
  Coordinate c = in_elements(x, size, s.align_corners);
  if (s.interpolation == kCubic) return read_cubic(c, size, s, r);
  const bool some = s.padding != kZeros || is_somewhere(c.at);
  c = padded(c, size, s);
  if (s.interpolation == kNearest) {
    r.index[0] = inside(int64_t(__builtin_rint(double(c.at))), size);
    return;
  }
  const int64_t i = int64_t(floor(c.at));
  r.count = 2;
  r.index[0] = inside(i, size);
  r.index[1] = inside(i + 1, size);
  r.weight[1] = r.part = some ? c.at - T(i) : Format<T>::nan;
  r.weight[0] = T(1) - r.part;
  r.slope[1] = r.rate = c.slope;
  r.slope[0] = -c.slope;
}

// All dimensions of one grid point; dimension 0 is the slowest (depth, or height of an image).
struct Point {
  Reading along[3];
  Point(const Arguments& a, int64_t point) {
    const int dims = a.sampler.dims;
    for (int d = 0; d < dims; ++d) {
      const int place = 3 - dims + d;
      read(a.grid[point * dims + dims - 1 - d], a.size[place], a.sampler, along[place]);
    }
  }
  // Calls f(offset in the plane or -1 outside, z, y, x) for every element.
  template <class F>
  void each(const Arguments& a, F f) const {
    for (int z = 0; z < along[0].count; ++z) {
      for (int y = 0; y < along[1].count; ++y) {
        for (int x = 0; x < along[2].count; ++x) {
          const int64_t i = along[0].index[z], j = along[1].index[y], k = along[2].index[x];
          f(i >= 0 && j >= 0 && k >= 0 ? (i * a.size[1] + j) * a.size[2] + k : int64_t(-1), z, y, x);
        }
      }
    }
  }
};

KERNEL_BOUNDED(sample, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.batch * a.points; i += thread_count()) {
    const Point point(a, i);
    const int64_t n = i / a.points, p = i % a.points;
    for (int64_t plane = n * a.channels; plane < (n + 1) * a.channels; ++plane) {
      T sum = T(0);
      point.each(a, [&](int64_t at, int z, int y, int x) {
        const T weight = point.along[0].weight[z] * point.along[1].weight[y] * point.along[2].weight[x];
        sum += weight * (at < 0 ? T(0) : a.x[plane * a.plane() + at]);  // a weight that is NaN shows, wherever it is
      });
      a.y[plane * a.points + p] = sum;
    }
  }
}

// dx begins as zeros.
KERNEL_BOUNDED(sample_gradient, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.batch * a.points; i += thread_count()) {
    const Point point(a, i);
    const int64_t n = i / a.points, p = i % a.points;
    T slopes[3] = {T(0), T(0), T(0)};
    point.each(a, [&](int64_t at, int z, int y, int x) {
      if (at < 0) return;
      const Reading* const r = point.along;
      const T w[3] = {r[0].weight[z], r[1].weight[y], r[2].weight[x]}, all = w[0] * w[1] * w[2];
      T product = T(0);
      for (int64_t plane = n * a.channels; plane < (n + 1) * a.channels; ++plane) {
        const T from = a.g[plane * a.points + p];
        if (a.dx) atomic_add(a.dx + plane * a.plane() + at, all * from);
        if (a.sampler.interpolation != kNearest) product += from * a.x[plane * a.plane() + at];
      }
      slopes[0] += product * r[0].slope[z] * w[1] * w[2];
      slopes[1] += product * w[0] * r[1].slope[y] * w[2];
      slopes[2] += product * w[0] * w[1] * r[2].slope[x];
    });
    T nowhere = T(0);  // NaN for a point that is no place
    for (int d = 0; d < 3; ++d) nowhere += point.along[d].part - point.along[d].part;
    const int dims = a.sampler.dims;
    for (int d = 0; d < dims; ++d) a.d_grid[i * dims + dims - 1 - d] = slopes[3 - dims + d] + nowhere;
  }
}

// index and inside begin as zeros.
KERNEL_BOUNDED(corners, Arguments, 256) {
  const int dims = a.sampler.dims;
  const int64_t points = a.batch * a.points;
  for (int64_t i = thread_number(); i < points; i += thread_count()) {
    const Point point(a, i);
    for (int d = 0; d < dims; ++d) {
      const Reading& r = point.along[3 - dims + d];
      a.rate[d * points + i] = r.rate;
      a.rest[d * points + i] = r.part - r.rate * a.grid[i * dims + dims - 1 - d];
    }
    point.each(a, [&](int64_t at, int z, int y, int x) {
      if (at < 0) return;
      const int64_t corner = (z * point.along[1].count + y) * point.along[2].count + x;
      a.index[corner * points + i] = at;
      a.inside[corner * points + i] = T(1);
    });
  }
}
