#include "backends/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/taps.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

// A position along one dimension, in elements, and how it changes with the grid's number.
template <class T>
struct Coordinate {
  T at, slope;
};

template <class T>
Coordinate<T> in_elements(T x, int64_t size, bool align_corners) {
  auto n = static_cast<T>(size);
  if (align_corners) return {(x + 1) / 2 * (n - 1), (n - 1) / 2};
  return {((x + 1) * n - 1) / 2, n / 2};
}

template <class T>
Coordinate<T> clipped(Coordinate<T> c, int64_t size) {
  auto last = static_cast<T>(size - 1);
  if (!(c.at > 0)) return {T(0), T(0)};
  if (c.at >= last) return {last, T(0)};
  return c;
}

// The largest whole number up to x, of which it is known that an int64_t can hold it; a call of std::floor would cost
// more than all else that is done with x.
template <class T>
int64_t whole_part(T x) {
  auto whole = static_cast<int64_t>(x);
  return whole - (static_cast<T>(whole) > x);
}

// Mirrored at both ends until it is inside; the ends are given doubled, so that they may lie between elements.
template <class T>
Coordinate<T> reflected(Coordinate<T> c, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) return {T(0), T(0)};
  T low = static_cast<T>(twice_low) / 2, span = static_cast<T>(twice_high - twice_low) / 2, slope = c.slope;
  T distance = c.at - low;
  if (distance < 0) {
    distance = -distance;
    slope = -slope;
  }
  if (distance < span) return {distance + low, slope};
  T extra = std::fmod(distance, span), turns = std::floor(distance / span);
  if (std::fmod(turns, T(2)) == 0) return {extra + low, slope};
  return {span - extra + low, -slope};
}

template <class T>
Coordinate<T> padded(Coordinate<T> c, int64_t size, const GridSampler& s) {
  if (s.padding == GridSampler::kBorder) return clipped(c, size);
  if (s.padding == GridSampler::kReflection) {
    c = s.align_corners ? reflected(c, 0, 2 * (size - 1)) : reflected(c, -1, 2 * size - 1);
    return clipped(c, size);
  }
  // What does not fit an index lies outside.
  return std::abs(c.at) < T(1e9) ? c : Coordinate<T>{T(-100), T(0)};
}

// What one dimension contributes: up to four elements, their weights and the weights' slopes. -1: outside. The weights
// are those of `part`, which changes with the grid's number at the given rate.
template <class T>
struct Reading {
  int count;
  int64_t index[4];
  T weight[4], slope[4];
  T part, rate;
};

template <class T>
T cubic_weight(T x) {
  constexpr T a = T(-0.75);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}
template <class T>
T cubic_slope(T x) {
  constexpr T a = T(-0.75);
  return x <= 1 ? (3 * (a + 2) * x - 2 * (a + 3)) * x : (3 * a * x - 10 * a) * x + 8 * a;
}

// The part of the way at a place that is NaN or infinite: weights made of it are NaN, and so is what is read.
template <class T>
constexpr T kNowhere = std::numeric_limits<T>::quiet_NaN();

int64_t inside(int64_t i, int64_t size) { return i >= 0 && i < size ? i : -1; }

template <class T>
void read_cubic(Coordinate<T> c, int64_t size, const GridSampler& s, Reading<T>& r) {
  const bool some = std::isfinite(c.at);
  const T whole = !some ? T(-100) : std::abs(c.at) < T(1e9) ? static_cast<T>(whole_part(c.at)) : c.at;
  const T t = some ? c.at - whole : kNowhere<T>;
  r.count = 4;
  r.part = t;
  r.rate = c.slope;
  for (int k = 0; k < 4; ++k) {
    T at = padded(Coordinate<T>{whole - 1 + static_cast<T>(k), T(0)}, size, s).at;
    r.index[k] = inside(static_cast<int64_t>(at), size);
    T distance = std::abs(t + 1 - static_cast<T>(k));
    r.weight[k] = cubic_weight(distance);
    r.slope[k] = (k < 2 ? 1 : -1) * cubic_slope(distance) * c.slope;
  }
}

template <class T>
void read_one(int64_t index, Reading<T>& r) {
  r.count = 1;
  r.index[0] = index;
  r.weight[0] = r.part = 1;
  r.slope[0] = r.rate = 0;
}

// Field by field, in place: a copy of the whole would wait for the stores before it.
template <class T>
void read(T x, int64_t size, const GridSampler& s, Reading<T>& r) {
  Coordinate<T> c = in_elements(x, size, s.align_corners);
  if (s.interpolation == GridSampler::kCubic) return read_cubic(c, size, s, r);
  const bool some = s.padding != GridSampler::kZeros || std::isfinite(c.at);
  c = padded(c, size, s);
  if (s.interpolation == GridSampler::kNearest) return read_one(inside(std::lrint(c.at), size), r);
  const int64_t i = whole_part(c.at);
  r.count = 2;
  r.index[0] = inside(i, size);
  r.index[1] = inside(i + 1, size);
  r.weight[1] = r.part = some ? c.at - static_cast<T>(i) : kNowhere<T>;
  r.weight[0] = 1 - r.part;
  r.slope[1] = r.rate = c.slope;
  r.slope[0] = -c.slope;
}

// All dimensions of one grid point; dimension 0 is the slowest (depth, or height of an image).
template <class T>
struct Point {
  Reading<T> along[3];

  Point(const T* grid, const std::array<int64_t, 3>& size, const GridSampler& s) {
    read_one(0, along[0]);
    for (int d = 0; d < s.dims; ++d) {
      auto place = static_cast<size_t>(3 - s.dims + d);
      read(grid[s.dims - 1 - d], size[place], s, along[place]);
    }
  }
  // Calls f(offset in the plane, z, y, x) for every element that is inside.
  template <class F>
  void each(const std::array<int64_t, 3>& size, F f) const {
    for (int z = 0; z < along[0].count; ++z) {
      for (int y = 0; y < along[1].count; ++y) {
        for (int x = 0; x < along[2].count; ++x) {
          int64_t i = along[0].index[z], j = along[1].index[y], k = along[2].index[x];
          if (i >= 0 && j >= 0 && k >= 0) f((i * size[1] + j) * size[2] + k, z, y, x);
        }
      }
    }
  }
};

// Writes the elements that one point reads, with their weights, as point p of the block.
template <class T>
void find_taps(const Point<T>& point, const std::array<int64_t, 3>& size, TapBlock<T>& block, int64_t p) {
  const Reading<T>*z = point.along, *y = z + 1, *x = z + 2;
  int k = 0;
  for (int a = 0; a < z->count; ++a) {
    for (int b = 0; b < y->count; ++b) {
      const bool outside = (z->index[a] | y->index[b]) < 0;
      const int64_t row = (z->index[a] * size[1] + y->index[b]) * size[2];
      for (int c = 0; c < x->count; ++c, ++k) {
        block.at[k][p] = outside || x->index[c] < 0 ? -1 : row + x->index[c];
        block.weight[k][p] = z->weight[a] * y->weight[b] * x->weight[c];
      }
    }
  }
  block.taps = k;
}

void sum_taps(const TapBlock<float>& block, const float* x, float* out) { CR_DISPATCH(sum_float_taps)(block, x, out); }
void sum_taps(const TapBlock<double>& block, const double* x, double* out) {
  CR_DISPATCH(sum_double_taps)(block, x, out);
}

void find_all_taps(const GridAxes& axes, const float* grid, TapBlock<float>& block) {
  CR_DISPATCH(find_float_taps)(axes, grid, block);
}
void find_all_taps(const GridAxes& axes, const double* grid, TapBlock<double>& block) {
  CR_DISPATCH(find_double_taps)(axes, grid, block);
}
GridAxes axes_of(const GridSampler& s, const GridShape& g) {
  GridAxes axes{
      s.dims, {}, s.align_corners, s.padding == GridSampler::kBorder, s.interpolation == GridSampler::kNearest};
  for (int d = 0; d < s.dims; ++d) axes.size[d] = g.size[static_cast<size_t>(3 - s.dims + d)];
  return axes;
}

// A few points at a time, so that a channel's part of the image stays in the first-level cache while they read it.
template <class T>
void sample_points(const GridSampling& sampling) {
  const GridSampler& s = sampling.sampler;
  const GridShape& g = sampling.shape;
  const T *x = static_cast<const T*>(sampling.x), *grid = static_cast<const T*>(sampling.grid);
  T* y = static_cast<T*>(sampling.y);
  const int64_t blocks = (g.points + kTapPoints - 1) / kTapPoints;
  const GridAxes axes = axes_of(s, g);
  const bool together = s.interpolation != GridSampler::kCubic && s.padding != GridSampler::kReflection;
  parallel_for(g.batch * blocks, 8, [&](int64_t begin, int64_t end) {
    TapBlock<T> block;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / blocks, first = i % blocks * kTapPoints;
      block.points = std::min(kTapPoints, g.points - first);
      const T* places = grid + (n * g.points + first) * s.dims;
      if (together) find_all_taps(axes, places, block);
      for (int64_t p = 0; p < block.points && !together; ++p) {
        find_taps(Point<T>(places + p * s.dims, g.size, s), g.size, block, p);
      }
      for (int64_t plane = n * g.channels; plane < (n + 1) * g.channels; ++plane) {
        sum_taps(block, x + plane * g.plane(), y + plane * g.points + first);
      }
    }
  });
}

template <class T>
void spread_points(const GridSamplingGradient& sampling) {
  const GridSampler& s = sampling.sampler;
  const GridShape& g = sampling.shape;
  const T *incoming = static_cast<const T*>(sampling.g), *x = static_cast<const T*>(sampling.x);
  const T* grid = static_cast<const T*>(sampling.grid);
  T *dx = static_cast<T*>(sampling.dx), *d_grid = static_cast<T*>(sampling.d_grid);
  const bool has_slopes = s.interpolation != GridSampler::kNearest;
  parallel_for(g.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (dx) std::fill_n(dx + n * g.channels * g.plane(), g.channels * g.plane(), T(0));
      for (int64_t p = 0; p < g.points; ++p) {
        const int64_t i = n * g.points + p;
        const Point<T> point(grid + i * s.dims, g.size, s);
        T slopes[3] = {};
        point.each(g.size, [&](int64_t at, int a, int b, int k) {
          const Reading<T>* r = point.along;
          const T w[3] = {r[0].weight[a], r[1].weight[b], r[2].weight[k]}, all = w[0] * w[1] * w[2];
          T product = 0;
          for (int64_t c = 0; c < g.channels; ++c) {
            const int64_t plane = n * g.channels + c;
            const T from = incoming[plane * g.points + p];
            if (dx) dx[plane * g.plane() + at] += all * from;
            if (has_slopes) product += from * x[plane * g.plane() + at];
          }
          slopes[0] += product * r[0].slope[a] * w[1] * w[2];
          slopes[1] += product * w[0] * r[1].slope[b] * w[2];
          slopes[2] += product * w[0] * w[1] * r[2].slope[k];
        });
        T nowhere = 0;  // NaN for a point that is no place
        for (const Reading<T>& r : point.along) nowhere += r.part - r.part;
        for (int d = 0; d < s.dims; ++d) d_grid[i * s.dims + s.dims - 1 - d] = slopes[3 - s.dims + d] + nowhere;
      }
    }
  });
}

template <class T>
void find_corners(const GridCorners& c) {
  const int dims = c.sampler.dims;
  const int64_t points = c.shape.batch * c.shape.points;
  T *inside = static_cast<T*>(c.inside), *rate = static_cast<T*>(c.rate), *rest = static_cast<T*>(c.rest);
  for (int64_t i = 0; i < points; ++i) {
    const T* grid = static_cast<const T*>(c.grid) + i * dims;
    const Point<T> point(grid, c.shape.size, c.sampler);
    for (int d = 0; d < dims; ++d) {
      const Reading<T>& r = point.along[3 - dims + d];
      rate[d * points + i] = r.rate;
      rest[d * points + i] = r.part - r.rate * grid[dims - 1 - d];
    }
    point.each(c.shape.size, [&](int64_t at, int z, int y, int x) {
      const int64_t corner = (z * point.along[1].count + y) * point.along[2].count + x;
      c.index[corner * points + i] = at;
      inside[corner * points + i] = 1;
    });
  }
}

void sample(const GridSampling& s) {
  with_kernel_type(s.dtype, [&]<class T>(T) { sample_points<T>(s); });
}
void sample_gradient(const GridSamplingGradient& s) {
  with_kernel_type(s.dtype, [&]<class T>(T) { spread_points<T>(s); });
}
void corners(const GridCorners& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) { find_corners<T>(c); });
}

void affine_points(const AffinePoints& a) {
  for (int64_t p = 0; p < a.points; ++p) {
    double* row = a.to + p * (a.dims + 1);
    int64_t left = p;
    for (int d = a.dims; d-- > 0; left /= a.size[d]) {
      auto n = static_cast<double>(a.size[d]), i = static_cast<double>(left % a.size[d]);
      row[a.dims - 1 - d] = a.align_corners ? (n > 1 ? 2 * i / (n - 1) - 1 : 0) : (2 * i + 1) / n - 1;
    }
    row[a.dims] = 1;
  }
}

}  // namespace

constinit const GridKernels grid_kernels{{sample}, {sample_gradient}, {corners}, {affine_points}};

}  // namespace chainrule::cpu
