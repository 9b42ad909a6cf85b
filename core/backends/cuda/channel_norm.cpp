// Sums over channels, and what is done to all their elements.
#include "backends/cuda/channel_norm.hpp"

#include <optional>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct SumsTask {
  const void *x, *g;
  ChannelStatistics statistics;
  double *first, *second;
  int64_t step;
  void* partial;
  int64_t outer, channels, inner, parts;
};

// Several blocks share a channel where there are few.
void run_sums(DType dtype, Channels shape, SumsTask task) {
  if (shape.channels == 0) return;
  task.outer = shape.outer;
  task.channels = shape.channels;
  task.inner = shape.inner;
  const int64_t across = shape.inner >= 32 || shape.channels < 8 ? 1 : 32, blocks = divide_up(shape.channels, across);
  const int64_t wanted = facts_of(current_device()).multiprocessors * int64_t{8};
  const int64_t most = std::clamp<int64_t>(shape.per_channel() / (kThreads / across * 8), 1, 1024);
  task.parts = std::clamp<int64_t>(wanted / blocks, 1, most);
  std::optional<Scratch> partial;
  if (task.parts > 1) {
    partial.emplace(static_cast<size_t>(task.parts * shape.channels) * 2 * sizeof(double));
    task.partial = partial->data();
  }
  const auto text = [&](const char* entry) {
    return KernelText("channel_sums.cuh", entry).element(dtype).index(shape.per_channel()).number("kAcross", across);
  };
  text("channel_sums").run({blocks, task.parts}, kThreads, task);
  if (task.parts > 1) text("join_parts").run({blocks_for(shape.channels)}, kThreads, task);
}

struct MapTask {
  const double* numbers;
  const void *x, *g;
  void* to;
  int64_t pieces, channels, inner;
};

void map_pieces(DType dtype, const MapTask& task) {
  const int64_t group = task.inner < 16 ? 1 : task.inner <= 1024 ? 32 : 256;
  if (task.pieces * task.inner == 0) return;
  KernelText("channel_map.cuh", "map_pieces")
      .element(dtype)
      .number("kGroup", group)
      .run({blocks_for(task.pieces * group)}, kThreads, task);
}

void map_last(DType dtype, const MapTask& task) {
  const int64_t elements = task.channels * task.inner;
  if (elements == 0) return;
  KernelText("channel_map.cuh", "map_last")
      .element(dtype)
      .number("kGroup", 1)
      .run({blocks_for_loop(elements)}, kThreads, task);
}

MapTask pieces_of(Channels s, const double* numbers, const void* x, const void* g, void* to) {
  return {numbers, x, g, to, s.outer * s.channels, s.channels, s.inner};
}
MapTask samples_of(ChannelsLast s, const double* numbers, const void* x, const void* g, void* to) {
  return {numbers, x, g, to, s.samples, s.samples * s.channels, s.places};
}

}  // namespace

void channel_moments(const ChannelMoments& m) {
  run_sums(m.dtype, m.shape, {m.x, nullptr, {}, m.means, m.variances, m.step, nullptr, 0, 0, 0, 1});
}
void channel_sums(const ChannelSums& s) {
  run_sums(s.dtype, s.shape, {s.x, s.g, s.statistics, s.g_sums, s.deviation_sums, 1, nullptr, 0, 0, 0, 1});
}
void channel_affine(const ChannelAffine& a) { map_pieces(a.dtype, pieces_of(a.shape, a.numbers, a.x, nullptr, a.y)); }
void channel_combine(const ChannelCombination& m) {
  map_pieces(m.dtype, pieces_of(m.shape, m.numbers, m.x, m.g, m.gradient));
}
void channel_affine_last(const AffineLast& a) { map_last(a.dtype, samples_of(a.shape, a.numbers, a.x, nullptr, a.y)); }
void channel_combine_last(const CombinationLast& m) {
  map_last(m.dtype, samples_of(m.shape, m.numbers, m.x, m.g, m.gradient));
}

}  // namespace chainrule::cuda
