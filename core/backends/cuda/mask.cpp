#include "backends/mask.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "backends/cuda/exclusive_sums.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/strided.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kTile = 2048;  // as in kernels/mask.cuh

struct MaskTask {
  const uint8_t* mask;
  char *whole, *packed;
  int64_t *to, *tiles, found;
  Strided<2> at;
  int64_t dimensions, sizes[Layout::kMostDimensions];
};

MaskTask task_of(const Layout& layout, const uint8_t* mask) {
  return {mask, nullptr, nullptr, nullptr, nullptr, std::numeric_limits<int64_t>::max(), Strided<2>(layout), 0, {}};
}

KernelText text_of(const char* entry, size_t item) {
  KernelText text("mask.cuh", entry);
  return text.with("running.cuh").type("S", raw_type(item));
}

void run_loop(const char* entry, size_t item, const MaskTask& task) {
  if (task.at.numel) text_of(entry, item).run({blocks_for_loop(task.at.numel)}, kThreads, task);
}

// Each element that is true goes to a place of its own, in order.
void run_packed(const char* entry, size_t item, MaskTask task) {
  const int64_t tiles = divide_up(task.at.numel, kTile);
  if (tiles == 0) return;
  const Scratch room(static_cast<size_t>(tiles) * sizeof(int64_t));
  task.tiles = reinterpret_cast<int64_t*>(room.data());
  text_of("count_tiles", item).run({tiles}, kThreads, task);
  exclusive_sums(task.tiles, tiles);
  text_of(entry, item).run({tiles}, kThreads, task);
}

// A mask and what lies under it, in the order of their indices.
Layout layout_of(Span sizes, Span mask, Span whole) { return Layout(sizes, std::array{mask, whole}, true); }

void count(const MaskCount& m) {
  const Layout layout = layout_of(m.sizes, m.strides, m.strides);
  if (!layout.fits()) return fallback<&MaskKernels::count>(m);
  const Scratch room(sizeof(int64_t));
  CUDA_CALL(set_bytes, address(room.data()), 0, sizeof(int64_t), current_stream());
  MaskTask task = task_of(layout, m.mask);
  task.to = reinterpret_cast<int64_t*>(room.data());
  run_loop("count_all", 1, task);
  read(m.count, task.to, sizeof(int64_t));
}

// Nothing, where the layout is too long a story for a kernel.
std::optional<MaskTask> task_of(const MaskedElements& m) {
  const Layout layout = layout_of(m.sizes, m.mask_strides, m.strides);
  if (!layout.fits()) return {};
  MaskTask task = task_of(layout, m.mask);
  task.whole = m.whole;
  task.packed = m.packed;
  return task;
}

void fill(const MaskedElements& m) {
  const std::optional<MaskTask> task = task_of(m);
  if (!task) return fallback<&MaskKernels::fill>(m);
  run_loop("fill", size_of(m.dtype), *task);
}
void read_masked(const MaskedElements& m) {
  const std::optional<MaskTask> task = task_of(m);
  if (!task) return fallback<&MaskKernels::read>(m);
  run_packed("pack", size_of(m.dtype), *task);
}
void write_masked(const MaskedElements& m) {
  const std::optional<MaskTask> task = task_of(m);
  if (!task) return fallback<&MaskKernels::write>(m);
  run_packed("unpack", size_of(m.dtype), *task);
}

void offsets(const MaskOffsets& m) {
  const Layout layout = layout_of(m.sizes, m.mask_strides, m.strides);
  if (!layout.fits()) return fallback<&MaskKernels::offsets>(m);
  MaskTask task = task_of(layout, m.mask);
  task.to = m.to;
  run_packed("offsets", 1, task);
}

void coordinates(const MaskCoordinates& m) {
  if (m.sizes.size() > Layout::kMostDimensions) return fallback<&MaskKernels::coordinates>(m);
  if (m.sizes.empty() || m.found == 0) return;
  const int64_t next = 1;
  int64_t n = 1;
  for (int64_t size : m.sizes) n *= size;
  MaskTask task = task_of(layout_of({&n, 1}, {&next, 1}, {&next, 1}), m.mask);
  task.to = m.to;
  task.found = m.found;
  task.dimensions = static_cast<int64_t>(m.sizes.size());
  std::ranges::copy(m.sizes, task.sizes);
  run_packed("coordinates", 1, task);
}

}  // namespace

const MaskKernels mask_kernels{
    .count = {count},
    .fill = {fill},
    .read = {read_masked},
    .write = {write_masked},
    .offsets = {offsets},
    .coordinates = {coordinates},
};

}  // namespace chainrule::cuda
