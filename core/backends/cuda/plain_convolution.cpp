#include "backends/cuda/plain_convolution.hpp"

#include <optional>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct ConvolutionTask {
  ConvolutionShape shape;
  const void *a, *b, *bias;
  void *to, *partial;
  int64_t rows, columns, depth, parts, part_depth;
};

// The product of matrices that a pass is, for each group.
ConvolutionTask task_of(ConvolutionPass pass, const Convolution& c) {
  const ConvolutionShape& s = c.shape;
  ConvolutionTask t{s, c.a, c.b, c.bias, c.out, nullptr, 0, 0, 0, 1, 0};
  switch (pass) {
    case ConvolutionPass::Value:
      t.rows = s.out_channels, t.columns = s.batch * s.out_pixels(), t.depth = s.weight_columns();
      break;
    case ConvolutionPass::InputGradient:
      t.rows = s.in_channels, t.columns = s.batch * s.in_pixels(), t.depth = s.out_channels * s.taps();
      break;
    case ConvolutionPass::WeightGradient:
      t.rows = s.out_channels, t.columns = s.weight_columns(), t.depth = s.batch * s.out_pixels();
  }
  return t;
}

// The largest number that a kernel divides.
int64_t largest_number(const ConvolutionTask& t) {
  const ConvolutionShape& s = t.shape;
  int64_t most = std::max(t.columns, t.depth);
  for (size_t d = 0; d < 3; ++d) most = std::max({most, s.in[d] + s.padding[d], s.stride[d]});
  return most;
}

}  // namespace

void plain_convolution(ConvolutionPass pass, const Convolution& c) {
  ConvolutionTask task = task_of(pass, c);
  constexpr int64_t kTile = 64, kDeep = 16;
  const int64_t results = task.shape.groups * task.rows * task.columns;
  if (results == 0) return;
  const int64_t blocks = task.shape.groups * divide_up(task.rows, kTile) * divide_up(task.columns, kTile);
  // Where there are few results of long sums, several blocks share each.
  const int64_t wanted = facts_of(current_device()).multiprocessors * int64_t{2};
  const int64_t parts = std::clamp<int64_t>(wanted / blocks, 1, std::clamp<int64_t>(task.depth / (8 * kDeep), 1, 256));
  task.part_depth = divide_up(divide_up(task.depth, parts), kDeep) * kDeep;
  task.parts = std::max<int64_t>(1, task.part_depth ? divide_up(task.depth, task.part_depth) : 1);
  std::optional<Scratch> partial;
  if (task.parts > 1) {
    partial.emplace(static_cast<size_t>(task.parts * results) * size_of(compute_dtype(c.dtype)));
    task.partial = partial->data();
  }
  const auto text = [&](const char* entry) {
    return KernelText("convolution.cuh", entry)
        .element(c.dtype)
        .number("kPass", static_cast<int64_t>(pass))
        .number("kLast", c.channels_last)
        .index(largest_number(task));
  };
  text("convolve").run({blocks, task.parts}, kThreads, task);
  if (task.parts > 1) text("join_parts").run({blocks_for_loop(results)}, kThreads, task);
}

}  // namespace chainrule::cuda
