#include "backends/grid.hpp"

#include "backends/cuda/determinism.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct GridTask {
  GridSampler sampler;
  GridShape shape;
  const void *x = nullptr, *grid = nullptr, *g = nullptr;
  void *y = nullptr, *dx = nullptr, *d_grid = nullptr;
  int64_t* index = nullptr;
  void *inside = nullptr, *rate = nullptr, *rest = nullptr;
};

void run(const char* entry, DType dtype, const GridTask& task) {
  const int64_t points = task.shape.batch * task.shape.points;
  if (points == 0) return;
  KernelText("grid.cuh", entry)
      .with("atomic.cuh")
      .type("T", storage_type(dtype))
      .run({blocks_for_loop(points)}, kThreads, task);
}

void sample(const GridSampling& s) {
  run("sample", s.dtype, {.sampler = s.sampler, .shape = s.shape, .x = s.x, .grid = s.grid, .y = s.y});
}

// Points that read the same element add to its gradient in any order; the host has one.
void sample_gradient(const GridSamplingGradient& s) {
  if (only_deterministic) return fallback<&GridKernels::sample_gradient>(s);
  const int64_t elements = s.shape.batch * s.shape.channels * s.shape.plane();
  if (s.dx && elements > 0)
    CUDA_CALL(set_bytes, address(s.dx), 0, static_cast<size_t>(elements) * size_of(s.dtype), current_stream());
  run("sample_gradient", s.dtype,
      {.sampler = s.sampler, .shape = s.shape, .x = s.x, .grid = s.grid, .g = s.g, .dx = s.dx, .d_grid = s.d_grid});
}

void corners(const GridCorners& c) {
  run("corners", c.dtype,
      {.sampler = c.sampler,
       .shape = c.shape,
       .grid = c.grid,
       .index = c.index,
       .inside = c.inside,
       .rate = c.rate,
       .rest = c.rest});
}

struct AffineTask {
  int64_t dims, size[3], points;
  bool align_corners;
  double* to;
};

void affine_points(const AffinePoints& p) {
  const AffineTask task{p.dims, {p.size[0], p.size[1], p.size[2]}, p.points, p.align_corners, p.to};
  if (p.points > 0) KernelText("affine_points.cuh", "affine_points").run({blocks_for(p.points)}, kThreads, task);
}

}  // namespace

const GridKernels grid_kernels{
    .sample = {sample},
    .sample_gradient = {sample_gradient},
    .corners = {corners},
    .affine_points = {affine_points},
};

}  // namespace chainrule::cuda
