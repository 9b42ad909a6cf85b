// Reading images at positions that a grid gives, and the gradients with respect to both.
#include "ops/networks/grid_sample.hpp"

#include "backends/grid.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kSample2d{"grid_sampler_2d", "GridSampler2DBackward0", "g spread over the pixels read, and their slopes"};
OpInfo kSample3d{"grid_sampler_3d", "GridSampler3DBackward0", "g spread over the voxels read, and their slopes"};

GridShape grid_shape(const Tensor& x, const Tensor& grid, int dims) {
  GridShape g{x.size(0), x.size(1), 1, {1, 1, 1}};
  for (int d = 0; d < dims; ++d) g.size[static_cast<size_t>(3 - dims + d)] = x.size(2 + d);
  for (int d = 1; d <= dims; ++d) g.points *= grid.size(d);
  return g;
}

Dims sampled_sizes(const GridSampler& s, const Tensor& x, const Tensor& grid) {
  Dims sizes(x.sizes());
  for (int d = 0; d < s.dims; ++d) sizes[2 + d] = grid.size(1 + d);
  return sizes;
}

// ---- the definition, of operations with histories

// What the kernel reads at each point: for every corner the element and whether it is inside (1 or 0), and for every
// dimension the rate and the rest of part = rate * grid + rest. All of it is constant where the corners are.
struct Corners {
  Tensor index, inside;  // (corners, points)
  Tensor rate, rest;     // (dims, points)
};

Corners corners_of(const GridSampler& s, const GridShape& g, const Tensor& grid, int64_t count) {
  GradModeScope off(false);
  Tensor at = prepared(grid);
  Dims corners{count, g.batch * g.points}, parts{s.dims, g.batch * g.points};
  Corners c{zeros(corners, DType::Int64), zeros(corners, at.dtype()), zeros(parts, at.dtype()),
            zeros(parts, at.dtype())};
  backend().grid->corners(
      {s, g, at.dtype(), at->data, c.index.data<int64_t>(), c.inside->data, c.rate->data, c.rest->data});
  return c;
}

Tensor cubic_weight(const Tensor& x, bool near) {
  constexpr double a = -0.75;
  return near ? (x * (a + 2) - (a + 3)) * x * x + 1.0 : ((x * a - 5 * a) * x + 8 * a) * x - 4 * a;
}

std::vector<Tensor> weights_of(GridSampler::Interpolation interpolation, const Tensor& t) {
  if (interpolation == GridSampler::kNearest) return {t};
  if (interpolation == GridSampler::kLinear) return {1.0 - t, t};
  return {cubic_weight(t + 1.0, false), cubic_weight(t, true), cubic_weight(1.0 - t, true),
          cubic_weight(2.0 - t, false)};
}

Tensor composed(const GridSampler& s, const Tensor& x, const Tensor& grid) {
  DType wide = kernel_dtype(x.dtype());
  const GridShape g = grid_shape(x, grid, s.dims);
  Tensor planes = reshape(to_dtype(x, wide), Dims{g.batch, g.channels, g.plane()});
  Tensor places = reshape(to_dtype(grid, wide), Dims{(CheckedSize(g.batch) * g.points).value(), s.dims}), y;
  int64_t taps = s.interpolation == GridSampler::kNearest  ? 1
                 : s.interpolation == GridSampler::kLinear ? 2
                                                           : 4,
          count = 1;
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

void give_gradients(Backward& b, const GridSampler& s) {
  Tensor x = b.saved(0), grid = b.saved(1);
  if (grad_enabled()) {
    return give_composed_gradient(b, {x, grid},
                                  [&](const std::vector<Tensor>& in) { return composed(s, in[0], in[1]); });
  }
  Tensor incoming = prepared(b.g()), from = prepared(x), at = prepared(grid);
  Tensor dx = b.needs(0) ? empty(x.sizes(), from.dtype()) : Tensor(), d_grid = empty(grid.sizes(), from.dtype());
  backend().grid->sample_gradient({s, grid_shape(x, grid, s.dims), from.dtype(), incoming->data, from->data, at->data,
                                   dx ? dx->data : nullptr, d_grid->data});
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
  check(interpolation != GridSampler::kCubic || x.ndim() == 4,
        "grid_sampler(): bicubic interpolation only supports 4D input");
  check(x.dtype() == grid.dtype(), "grid_sampler(): expected input and grid to have same dtype, but input has ",
        facts(x.dtype()).name, " and grid has ", facts(grid.dtype()).name);
}

}  // namespace

Tensor grid_sampler(const Tensor& x, const Tensor& grid, int64_t interpolation, int64_t padding, bool align_corners) {
  check_arguments(x, grid, interpolation, padding);
  GridSampler s{x.ndim() - 2, static_cast<GridSampler::Interpolation>(interpolation),
                static_cast<GridSampler::Padding>(padding), align_corners};
  require_floating(x, s.dims == 2 ? "grid_sampler_2d_cpu" : "grid_sampler_3d_cpu");
  Tensor y;
  {
    GradModeScope off(false);
    Tensor from = prepared(x), at = prepared(grid), out = empty(sampled_sizes(s, x, grid), from.dtype());
    backend().grid->sample({s, grid_shape(x, grid, s.dims), out.dtype(), from->data, at->data, out->data});
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
  AffinePoints points{dims, {}, align_corners, base.size(0), base.data<double>()};
  std::copy(size.begin() + 2, size.end(), points.size.begin());
  backend().grid->affine_points(points);
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
