#include "backends/attention.hpp"

#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kRows = 8;  // queries or keys of a block

struct AttentionTask {
  AttentionShape shape;
  HeadView q, k, v, mask, out;
  void* log_sums;
  HeadView g, dq, dk, dv;
};

// The rows that all warps of a block read lie in shared memory, of which every GPU has 48 KB for each.
bool fits(const AttentionShape& s, DType dtype) {
  constexpr size_t kShared = 47 * 1024;
  const int64_t width = std::max(s.width, s.value_width);
  return width > 0 && static_cast<size_t>(32 * (width + 1)) * size_of(dtype) <= kShared && s.batch * s.heads <= 65535;
}

void run(const char* entry, DType dtype, int64_t rows, int64_t heads, const AttentionTask& task) {
  if (rows == 0 || heads == 0) return;
  KernelText("attention.cuh", entry)
      .element(dtype)
      .number("kWidth", task.shape.width)
      .number("kValueWidth", task.shape.value_width)
      .run({divide_up(rows, kRows), heads}, kThreads, task);
}

void value(const Attention& a) {
  const AttentionShape& s = a.shape;
  if (!fits(s, a.in.dtype)) return fallback<&AttentionKernels::value>(a);
  const AttentionTask task{s, a.in.q, a.in.k, a.in.v, a.in.mask, a.out, a.log_sums, {}, {}, {}, {}};
  run("value", a.in.dtype, s.queries, s.batch * s.heads, task);
}

void gradient(const AttentionGradient& a) {
  const AttentionShape& s = a.shape;
  if (!fits(s, a.in.dtype)) return fallback<&AttentionKernels::gradient>(a);
  const AttentionTask task{s,   a.in.q, a.in.k, a.in.v, a.in.mask, a.out, const_cast<void*>(a.log_sums),
                           a.g, a.dq,   a.dk,   a.dv};
  run("query_gradients", a.in.dtype, s.queries, s.batch * s.heads, task);
  run("key_gradients", a.in.dtype, s.keys, s.batch * s.key_heads, task);
}

}  // namespace

const AttentionKernels attention_kernels{.value = {value}, .gradient = {gradient}};

}  // namespace chainrule::cuda
