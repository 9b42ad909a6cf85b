#include "backends/copy.hpp"

#include <algorithm>

#include "backends/cuda/chain_run.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/layout.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/scalar.hpp"

namespace chainrule::cuda {
namespace {

void strided(const StridedCopy& c) {
  const ChainInput in{.data = c.from, .dtype = c.from_dtype, .strides = Dims(c.from_strides)};
  const ChainOutput out{ChainOperand::input(0), c.to, c.to_dtype, c.to_strides};
  run_chain({c.sizes, c.from_dtype, {&in, 1}, {}, {&out, 1}});
}

void negate_in_place(DType dtype, Span sizes, Span strides, char* data) {
  const ChainInput in{.data = data, .dtype = dtype, .strides = Dims(strides)};
  ChainStep step{.op = OpId::neg};
  step.operands[0] = ChainOperand::input(0);
  const ChainOutput out{ChainOperand::step(0), data, dtype, strides};
  run_chain({sizes, dtype, {&in, 1}, {&step, 1}, {&out, 1}});
}

void negate(const SignChange& c) {
  if (!is_bool(c.dtype)) negate_in_place(c.dtype, c.sizes, c.strides, c.data);
}

// The second parts, as real numbers of their own.
void conjugate(const SignChange& c) {
  const DType part = real_of(c.dtype);
  Dims strides(c.strides);
  for (int64_t& stride : strides) stride *= 2;
  negate_in_place(part, c.sizes, strides, c.data + size_of(part));
}

void fill(const Fill& f) {
  const int64_t next = 1;
  const ChainInput in{.number = load(f.dtype, f.value)};
  const ChainOutput out{ChainOperand::input(0), f.to, f.dtype, {&next, 1}};
  run_chain({{&f.count, 1}, f.dtype, {&in, 1}, {}, {&out, 1}});
}

void zero(const ZeroBytes& z) {
  if (z.bytes) CUDA_CALL(set_bytes, address(z.to), 0, static_cast<size_t>(z.bytes), current_stream());
}

void blocks(const JoinedBlocks& j) {
  const bool words = j.bytes % 8 == 0 && j.row_bytes % 8 == 0 && reinterpret_cast<uintptr_t>(j.from) % 8 == 0 &&
                     reinterpret_cast<uintptr_t>(j.to) % 8 == 0;
  const DType unit = words ? DType::Int64 : DType::UInt8;
  const auto item = static_cast<int64_t>(size_of(unit));
  const Dims sizes{j.rows, j.bytes / item}, from{j.bytes / item, 1}, to{j.row_bytes / item, 1};
  strided({sizes, j.to, unit, to, j.from, unit, from});
}

struct FlipTask {
  const char* from;
  char* to;
  int64_t rows, length;
  bool reversed;
  int64_t dimensions, outer[Layout::kMostDimensions];
  bool flips[Layout::kMostDimensions];
};

void flip(const FlippedRows& f) {
  const int64_t elements = f.rows * f.length;
  if (f.outer.size() > Layout::kMostDimensions) return fallback<&CopyKernels::flip>(f);
  if (elements == 0) return;
  FlipTask task{f.from, f.to, f.rows, f.length, f.reversed, f.outer.size(), {}, {}};
  std::ranges::copy(f.outer, task.outer);
  for (int d = 0; d < f.outer.size(); ++d) task.flips[d] = f.flips[d] != 0;
  KernelText("flip.cuh", "flip")
      .type("S", raw_type(static_cast<size_t>(f.item)))
      .run({blocks_for_loop(elements)}, kThreads, task);
}

}  // namespace

const CopyKernels copy_kernels{
    .strided = {strided},
    .negate = {negate},
    .conjugate = {conjugate},
    .fill = {fill},
    .zero = {zero},
    .blocks = {blocks},
    .flip = {flip},
};

}  // namespace chainrule::cuda
