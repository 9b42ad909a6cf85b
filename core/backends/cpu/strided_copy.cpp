#include "backends/cpu/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#include "backends/cpu/chain_loop.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/item_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;  // elements of work for one thread

// See stream.hpp.
bool streams(const LoopPlan& plan) {
  return plan.numel * plan.lanes[0].item() >= thresholds.stream && plan.lanes[0].data != plan.lanes[1].data;
}

// Rows that are contiguous on both sides are copied whole. Returns false where they are not, or are short.
bool copy_rows(const LoopPlan& plan) {
  constexpr int64_t kShortRow = 64;  // bytes
  const Lane &to = plan.lanes[0], &from = plan.lanes[1];
  const int last = plan.sizes.size() - 1;
  const int64_t bytes = plan.sizes[last] * to.item(), row = plan.sizes[last];
  if (last == 0 || streams(plan) || to.dtype != from.dtype || to.strides[last] != to.item() ||
      from.strides[last] != from.item() || bytes < kShortRow)
    return false;
  parallel_for(plan.numel / row, std::max<int64_t>(1, kGrain / row), [&](int64_t begin, int64_t end) {
    Odometer at(plan.sizes, begin * row);
    for (int64_t i = begin; i < end; ++i, at.advance(row)) {
      std::memmove(to.data + at.offset(to.strides), from.data + at.offset(from.strides), static_cast<size_t>(bytes));
    }
  });
  return true;
}

// Copies a block of at most kSide x kSide elements: rows of `to` from columns of `from`. Every line of the caches is
// read and written whole, once, whatever the strides are.
constexpr int64_t kSide = 16;
template <class T>
inline void copy_any_block(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t rows,
                           int64_t columns) {
  T block[kSide][kSide], line[kSide];
  for (int64_t j = 0; j < columns; ++j) std::memcpy(block[j], from + j * from_stride, rows * sizeof(T));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) line[j] = block[j][i];
    std::memcpy(to + i * to_stride, line, columns * sizeof(T));
  }
}
// The columns that follow are asked for: they are far from one another, and the processor does not foresee them.
template <class T>
void copy_block(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t rows, int64_t columns) {
  if (rows < kSide || columns < kSide) return copy_any_block<T>(to, to_stride, from, from_stride, rows, columns);
  for (int64_t j = kSide; j < 2 * kSide; ++j) __builtin_prefetch(from + j * from_stride);
  copy_any_block<T>(to, to_stride, from, from_stride, kSide, kSide);
}

using BlockCopy = void (*)(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t, int64_t);
BlockCopy block_copy(int64_t item) {
  BlockCopy copy;
  with_item_type(item, [&]<class T>(T*) { copy = copy_block<T>; });
  return copy;
}

// A dimension, not the last, along which the source is contiguous; -1 if there is none of some length.
int transposed_dimension(const LoopPlan& plan) {
  for (int d = plan.sizes.size() - 2; d >= 0; --d) {
    if (plan.lanes[1].strides[d] == plan.lanes[1].item() && plan.sizes[d] >= kSide / 2) return d;
  }
  return -1;
}

// A transposed source, block by block. Returns false where it is none.
bool copy_transposed(const LoopPlan& plan) {
  const Lane &to = plan.lanes[0], &from = plan.lanes[1];
  const int last = plan.sizes.size() - 1, d = transposed_dimension(plan);
  if (d < 0 || to.dtype != from.dtype || to.strides[last] != to.item() || plan.sizes[last] < kSide / 2 ||
      from.strides[last] == 0)  // repeated elements are no matter of memory
    return false;
  const int64_t item = to.item(), columns = plan.sizes[last], rows = plan.sizes[d];
  const int64_t strips = (rows + kSide - 1) / kSide, to_stride = to.strides[d], from_stride = from.strides[last];
  Dims outer = plan.sizes;
  outer[d] = outer[last] = 1;
  const BlockCopy copy = block_copy(item);
  const int64_t grain = std::max<int64_t>(1, kGrain / (kSide * columns));
  parallel_for(plan.numel / (rows * columns) * strips, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const Odometer at(outer, k / strips);
      const int64_t i = k % strips * kSide, count = std::min(kSide, rows - i);
      char* target = to.data + at.offset(to.strides) + i * to_stride;
      const char* source = from.data + at.offset(from.strides) + i * item;
      for (int64_t j = 0; j < columns; j += kSide) {
        copy(target + j * item, to_stride, source + j * from_stride, from_stride, count, std::min(kSide, columns - j));
      }
    }
  });
  return true;
}

// Short rows (the pixels of a shuffled image, say) go element by element along another dimension, which is longer: to
// find a row's place costs more than to copy it. Returns false where rows are not short, or nothing is longer.
bool copy_short_rows(const LoopPlan& plan) {
  constexpr int64_t kShort = 8;
  const Lane &to = plan.lanes[0], &from = plan.lanes[1];
  const int last = plan.sizes.size() - 1;
  const int64_t row = plan.sizes[last];
  if (last == 0 || row >= kShort || to.dtype != from.dtype) return false;
  int d = last - 1;
  for (int k = last - 2; k >= 0 && plan.sizes[d] < kShort; --k) d = plan.sizes[k] > plan.sizes[d] ? k : d;
  const int64_t length = plan.sizes[d];
  if (length < kShort) return false;
  Dims outer = plan.sizes;
  outer[d] = outer[last] = 1;
  const int64_t grain = std::max<int64_t>(1, kGrain / (row * length));
  parallel_for(plan.numel / (row * length), grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const Odometer at(outer, k);
      char* target = to.data + at.offset(to.strides);
      const char* source = from.data + at.offset(from.strides);
      with_item_type(to.item(), [&]<class T>(T*) {
        for (int64_t j = 0; j < row; ++j) {
          copy_items<T>(target + j * to.strides[last], to.strides[d], source + j * from.strides[last], from.strides[d],
                        length);
        }
      });
    }
  });
  return true;
}

// A chain without steps.
void copy_elements(const StridedCopy& c, const LoopPlan& plan) {
  const ChainInput input{c.from, c.from_dtype};
  const ChainOutput output{ChainOperand::input(0), c.to, c.to_dtype, c.to_strides};
  const Chain chain{c.sizes, c.to_dtype, {&input, 1}, {}, {&output, 1}};
  alignas(16) std::byte space[256];
  std::pmr::monotonic_buffer_resource memory(space, sizeof space);
  run_loop(chain, Program(chain, &memory), plan);
}

}  // namespace

void copy_strided(const StridedCopy& c) {
  const bool is_one = std::all_of(c.sizes.begin(), c.sizes.end(), [](int64_t n) { return n == 1; });
  if (is_one && c.to_dtype == c.from_dtype) {  // x[i, j] = 1., for example
    std::memmove(c.to, c.from, size_of(c.to_dtype));
    return;
  }
  alignas(16) std::byte space[2048];
  std::pmr::monotonic_buffer_resource memory(space, sizeof space);
  const LoopOperand operands[2] = {{c.to, c.to_dtype, c.to_dtype, c.to_strides},
                                   {const_cast<char*>(c.from), c.from_dtype, c.to_dtype, c.from_strides}};
  const LoopPlan plan(c.sizes, operands, &memory);
  if (plan.numel == 0 || copy_rows(plan) || copy_transposed(plan) || copy_short_rows(plan)) return;
  copy_elements(c, plan);
}

}  // namespace chainrule::cpu
