// Reading images at positions that a grid gives, and the gradients with respect to both.
#include "ops/grid_sample.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "backends/cpu/taps.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/arithmetic.hpp"
#include "ops/composed_gradient.hpp"
#include "ops/create.hpp"
#include "ops/gather.hpp"
#include "ops/kernel_input.hpp"
#include "ops/matmul.hpp"
#include "ops/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kSample2d{"grid_sampler_2d", "GridSampler2DBackward0", "g spread over the pixels read, and their slopes"};
OpInfo kSample3d{"grid_sampler_3d", "GridSampler3DBackward0", "g spread over the voxels read, and their slopes"};

enum Interpolation : int64_t { kLinear, kNearest, kCubic };
enum Padding : int64_t { kZeros, kBorder, kReflection };

struct Sampler {
  int dims;
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
};

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
Coordinate<T> padded(Coordinate<T> c, int64_t size, const Sampler& s) {
  if (s.padding == kBorder) return clipped(c, size);
  if (s.padding == kReflection) {
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
void read_cubic(Coordinate<T> c, int64_t size, const Sampler& s, Reading<T>& r) {
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
void read(T x, int64_t size, const Sampler& s, Reading<T>& r) {
  Coordinate<T> c = in_elements(x, size, s.align_corners);
  if (s.interpolation == kCubic) return read_cubic(c, size, s, r);
  const bool some = s.padding != kZeros || std::isfinite(c.at);
  c = padded(c, size, s);
  if (s.interpolation == kNearest) return read_one(inside(std::lrint(c.at), size), r);
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

  Point(const T* grid, const std::array<int64_t, 3>& size, const Sampler& s) {
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
void find_taps(const Point<T>& point, const std::array<int64_t, 3>& size, cpu::TapBlock<T>& block, int64_t p) {
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

struct GridShape {
  int64_t batch, channels, points;
  std::array<int64_t, 3> size;
  int64_t plane() const { return size[0] * size[1] * size[2]; }

  GridShape(const Tensor& x, const Tensor& grid, int dims) : batch(x.size(0)), channels(x.size(1)), size{1, 1, 1} {
    for (int d = 0; d < dims; ++d) size[static_cast<size_t>(3 - dims + d)] = x.size(2 + d);
    points = 1;
    for (int d = 1; d <= dims; ++d) points *= grid.size(d);
  }
};

Dims sampled_sizes(const Sampler& s, const Tensor& x, const Tensor& grid) {
  Dims sizes(x.sizes());
  for (int d = 0; d < s.dims; ++d) sizes[2 + d] = grid.size(1 + d);
  return sizes;
}

void sum_taps(const cpu::TapBlock<float>& block, const float* x, float* out) {
  CR_DISPATCH(sum_float_taps)(block, x, out);
}
void sum_taps(const cpu::TapBlock<double>& block, const double* x, double* out) {
  CR_DISPATCH(sum_double_taps)(block, x, out);
}

void find_all_taps(const cpu::GridAxes& axes, const float* grid, cpu::TapBlock<float>& block) {
  CR_DISPATCH(find_float_taps)(axes, grid, block);
}
void find_all_taps(const cpu::GridAxes& axes, const double* grid, cpu::TapBlock<double>& block) {
  CR_DISPATCH(find_double_taps)(axes, grid, block);
}
cpu::GridAxes axes_of(const Sampler& s, const GridShape& g) {
  cpu::GridAxes axes{s.dims, {}, s.align_corners, s.padding == kBorder, s.interpolation == kNearest};
  for (int d = 0; d < s.dims; ++d) axes.size[d] = g.size[static_cast<size_t>(3 - s.dims + d)];
  return axes;
}

// A few points at a time, so that a channel's part of the image stays in the first-level cache while they read it.
template <class T>
void sample(const Sampler& s, const GridShape& g, const T* x, const T* grid, T* y) {
  const int64_t blocks = (g.points + cpu::kTapPoints - 1) / cpu::kTapPoints;
  const cpu::GridAxes axes = axes_of(s, g);
  const bool together = s.interpolation != kCubic && s.padding != kReflection;
  cpu::parallel_for(g.batch * blocks, 8, [&](int64_t begin, int64_t end) {
    cpu::TapBlock<T> block;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / blocks, first = i % blocks * cpu::kTapPoints;
      block.points = std::min(cpu::kTapPoints, g.points - first);
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

// dx may be null.
template <class T>
void sample_gradient(const Sampler& s, const GridShape& g, const T* incoming, const T* x, const T* grid, T* dx,
                     T* d_grid) {
  const bool has_slopes = s.interpolation != kNearest;
  cpu::parallel_for(g.batch, 1, [&](int64_t begin, int64_t end) {
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

// ---- the definition, of operations with histories

// What the kernel reads at each point: for every corner the element and whether it is inside (1 or 0), and for every
// dimension the rate and the rest of part = rate * grid + rest. All of it is constant where the corners are.
struct Corners {
  Tensor index, inside;  // (corners, points)
  Tensor rate, rest;     // (dims, points)
};

template <class T>
void find_corners(const Sampler& s, const GridShape& g, const T* grid, const Corners& c) {
  const int64_t points = g.batch * g.points;
  for (int64_t i = 0; i < points; ++i) {
    const Point<T> point(grid + i * s.dims, g.size, s);
    for (int d = 0; d < s.dims; ++d) {
      const Reading<T>& r = point.along[3 - s.dims + d];
      c.rate.data<T>()[d * points + i] = r.rate;
      c.rest.data<T>()[d * points + i] = r.part - r.rate * grid[i * s.dims + s.dims - 1 - d];
    }
    point.each(g.size, [&](int64_t at, int z, int y, int x) {
      int64_t corner = (z * point.along[1].count + y) * point.along[2].count + x;
      c.index.data<int64_t>()[corner * points + i] = at;
      c.inside.data<T>()[corner * points + i] = 1;
    });
  }
}

Corners corners_of(const Sampler& s, const GridShape& g, const Tensor& grid, int64_t count) {
  GradModeScope off(false);
  Tensor at = prepared(grid);
  Dims corners{count, g.batch * g.points}, parts{s.dims, g.batch * g.points};
  Corners c{zeros(corners, DType::Int64), zeros(corners, at.dtype()), zeros(parts, at.dtype()),
            zeros(parts, at.dtype())};
  with_kernel_type(at.dtype(), [&]<class T>(T) { find_corners<T>(s, g, at.data<T>(), c); });
  return c;
}

Tensor cubic_weight(const Tensor& x, bool near) {
  constexpr double a = -0.75;
  return near ? (x * (a + 2) - (a + 3)) * x * x + 1.0 : ((x * a - 5 * a) * x + 8 * a) * x - 4 * a;
}

std::vector<Tensor> weights_of(Interpolation interpolation, const Tensor& t) {
  if (interpolation == kNearest) return {t};
  if (interpolation == kLinear) return {1.0 - t, t};
  return {cubic_weight(t + 1.0, false), cubic_weight(t, true), cubic_weight(1.0 - t, true),
          cubic_weight(2.0 - t, false)};
}

Tensor composed(const Sampler& s, const Tensor& x, const Tensor& grid) {
  DType wide = kernel_dtype(x.dtype());
  GridShape g(x, grid, s.dims);
  Tensor planes = reshape(to_dtype(x, wide), Dims{g.batch, g.channels, g.plane()});
  Tensor places = reshape(to_dtype(grid, wide), Dims{(CheckedSize(g.batch) * g.points).value(), s.dims}), y;
  int64_t taps = s.interpolation == kNearest ? 1 : s.interpolation == kLinear ? 2 : 4, count = 1;
  for (int d = 0; d < s.dims; ++d) count *= taps;
  Corners c = corners_of(s, g, grid, count);
  std::vector<std::vector<Tensor>> weights;
  for (int d = 0; d < s.dims; ++d) {
    Tensor part = select(places, 1, s.dims - 1 - d) * select(c.rate, 0, d) + select(c.rest, 0, d);
    weights.push_back(weights_of(s.interpolation, part));
  }
  for (int64_t corner = 0; corner < count; ++corner) {
    Tensor weight = select(c.inside, 0, corner);
    int64_t left = corner;
    for (size_t d = weights.size(); d-- > 0; left /= taps)
      weight = weight * weights[d][static_cast<size_t>(left % taps)];
    Tensor index = reshape(select(c.index, 0, corner), Dims{g.batch, 1, g.points});
    Tensor read = gather(planes, 2, expand(index, Dims{g.batch, g.channels, g.points}));
    Tensor term = read * reshape(weight, Dims{g.batch, 1, g.points});
    y = y ? y + term : term;
  }
  return to_dtype(reshape(y, sampled_sizes(s, x, grid)), x.dtype());
}

void give_gradients(Backward& b, const Sampler& s) {
  Tensor x = b.saved(0), grid = b.saved(1);
  if (grad_enabled()) {
    return give_composed_gradient(b, {x, grid},
                                  [&](const std::vector<Tensor>& in) { return composed(s, in[0], in[1]); });
  }
  GridShape shape(x, grid, s.dims);
  Tensor incoming = prepared(b.g()), from = prepared(x), at = prepared(grid);
  Tensor dx = b.needs(0) ? empty(x.sizes(), from.dtype()) : Tensor(), d_grid = empty(grid.sizes(), from.dtype());
  with_kernel_type(from.dtype(), [&]<class T>(T) {
    sample_gradient<T>(s, shape, incoming.data<T>(), from.data<T>(), at.data<T>(), dx ? dx.data<T>() : nullptr,
                       d_grid.data<T>());
  });
  if (b.needs(0)) b.give(0, to_dtype(dx, x.dtype()));
  if (b.needs(1)) b.give(1, to_dtype(d_grid, grid.dtype()));
}

void check_arguments(const Tensor& x, const Tensor& grid, int64_t interpolation, int64_t padding) {
  check(x.ndim() > 0 && grid.ndim() > 0 && x.size(0) == grid.size(0),
        "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ", x.sizes(),
        " and grid with sizes ", grid.sizes());
  check(grid.size(grid.ndim() - 1) == x.ndim() - 2, "grid_sampler(): expected grid to have size ", x.ndim() - 2,
        " in last dimension, but got grid with sizes ", grid.sizes());
  for (int d = 2; d < x.ndim(); ++d) {
    check(x.size(d) > 0, "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
          x.sizes(), " with dimension ", d, " being empty");
  }
  check((x.ndim() == 4 || x.ndim() == 5) && x.ndim() == grid.ndim(),
        "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes ",
        x.sizes(), " and grid with sizes ", grid.sizes());
  check(interpolation >= 0 && interpolation <= 2, "grid_sampler(): unknown interpolation mode ", interpolation);
  check(padding >= 0 && padding <= 2, "grid_sampler(): unknown padding mode ", padding);
  check(interpolation != kCubic || x.ndim() == 4, "grid_sampler(): bicubic interpolation only supports 4D input");
  check(x.dtype() == grid.dtype(), "grid_sampler(): expected input and grid to have same dtype, but input has ",
        facts(x.dtype()).name, " and grid has ", facts(grid.dtype()).name);
}

}  // namespace

Tensor grid_sampler(const Tensor& x, const Tensor& grid, int64_t interpolation, int64_t padding, bool align_corners) {
  check_arguments(x, grid, interpolation, padding);
  Sampler s{x.ndim() - 2, static_cast<Interpolation>(interpolation), static_cast<Padding>(padding), align_corners};
  require_floating(x, s.dims == 2 ? "grid_sampler_2d_cpu" : "grid_sampler_3d_cpu");
  Tensor y;
  {
    GradModeScope off(false);
    Tensor from = prepared(x), at = prepared(grid), out = empty(sampled_sizes(s, x, grid), from.dtype());
    with_kernel_type(out.dtype(), [&]<class T>(T) {
      sample<T>(s, GridShape(x, grid, s.dims), from.data<T>(), at.data<T>(), out.data<T>());
    });
    y = to_dtype(out, x.dtype());
  }
  return record(s.dims == 2 ? kSample2d : kSample3d, y, {&x, &grid}, {&x, &grid}, [s](Backward& b, Kept* kept) {
    if (kept)
      return kept->add("input", Slot{0}, "grid", Slot{1}, "align_corners", s.align_corners, "interpolation_mode",
                       static_cast<int64_t>(s.interpolation), "padding_mode", static_cast<int64_t>(s.padding));
    give_gradients(b, s);
  });
}

namespace {

OpInfo kAffineGrid{"affine_grid_generator", "AffineGridGeneratorBackward0", "g.T @ the points of the grid"};

// Positions of the points, the last dimension's first, and a 1 for the translation.
Tensor grid_points(const Dims& size, bool align_corners, DType dtype) {
  const int dims = size.size() - 2;
  Tensor base = empty(Dims{count(Span(size).subspan(2)), dims + 1}, DType::Float64);
  for (int64_t p = 0; p < base.size(0); ++p) {
    double* row = base.data<double>() + p * (dims + 1);
    int64_t left = p;
    for (int d = dims; d-- > 0; left /= size[2 + d]) {
      auto n = static_cast<double>(size[2 + d]), i = static_cast<double>(left % size[2 + d]);
      row[dims - 1 - d] = align_corners ? (n > 1 ? 2 * i / (n - 1) - 1 : 0) : (2 * i + 1) / n - 1;
    }
    row[dims] = 1;
  }
  return to_dtype(base, dtype);
}

}  // namespace

Tensor affine_grid_generator(const Tensor& theta, const Dims& size, bool align_corners) {
  check(size.size() == 4 || size.size() == 5,
        "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) size, but got ", Span(size));
  if (!is_complex(theta.dtype())) require_floating(theta, "affine_grid_generator");
  int dims = size.size() - 2;
  check(theta.ndim() == 3 && theta.size(0) == size[0] && theta.size(1) == dims && theta.size(2) == dims + 1,
        "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1, " for size ", Span(size),
        ". Got ", theta.sizes(), ".");
  Dims sizes{size[0]};
  for (int d = 0; d < dims; ++d) sizes.push_back(size[2 + d]);
  sizes.push_back(dims);
  Tensor grid;
  {
    GradModeScope off(false);
    grid = reshape(matmul(grid_points(size, align_corners, theta.dtype()), transpose(theta, 1, 2)), sizes);
  }
  return record(kAffineGrid, alias(grid), {&theta}, {}, [size, align_corners](Backward& b, Kept* kept) {
    if (kept) return kept->add("size", size, "align_corners", align_corners);
    Tensor g = flatten(b.g(), 1, -2), points = grid_points(size, align_corners, g.dtype());
    b.give(0, matmul(transpose(g, 1, 2), points));
  });
}

}  // namespace chainrule
