// Runs a contiguous kernel over operands of any strides and dtypes, through tiles of 256 elements.
#include "backends/cpu/tile_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "backends/cpu/convert.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 256;
constexpr int64_t kGrain = 32 * 1024;  // elements of work for one thread
constexpr int64_t kLongRow = 128;      // from this length on, tiles stay within a row

struct Lane {
  char* data;
  DType dtype, wanted;
  Dims strides;   // bytes
  bool constant;  // one value for the whole loop
  bool dense;     // its elements follow each other in the order of the loop
  int64_t item() const { return static_cast<int64_t>(size_of(dtype)); }
  bool as_is() const { return dtype == wanted; }
};

struct Plan {
  Dims sizes;  // outermost first, coalesced
  Lane lanes[kMaxTileOperands];
  int count;
  int64_t numel;
  bool streams;  // the output is so large that it is written past the caches, see Note [Streaming stores]
};

template <class T>
void gather_items(char* to, const char* from, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * sizeof(T), from + i * stride, sizeof(T));
}
template <class T>
void scatter_items(char* to, int64_t stride, const char* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * sizeof(T), sizeof(T));
}

struct Sixteen {
  char bytes[16];
};

void gather_run(char* to, const char* from, int64_t stride, int64_t item, int64_t n) {
  if (stride == item) {
    std::memcpy(to, from, static_cast<size_t>(n * item));
    return;
  }
  switch (item) {
    case 1:
      return gather_items<uint8_t>(to, from, stride, n);
    case 2:
      return gather_items<uint16_t>(to, from, stride, n);
    case 4:
      return gather_items<uint32_t>(to, from, stride, n);
    case 8:
      return gather_items<uint64_t>(to, from, stride, n);
    default:
      return gather_items<Sixteen>(to, from, stride, n);
  }
}

void scatter_run(char* to, int64_t stride, const char* from, int64_t item, int64_t n) {
  if (stride == item) {
    std::memcpy(to, from, static_cast<size_t>(n * item));
    return;
  }
  switch (item) {
    case 1:
      return scatter_items<uint8_t>(to, stride, from, n);
    case 2:
      return scatter_items<uint16_t>(to, stride, from, n);
    case 4:
      return scatter_items<uint32_t>(to, stride, from, n);
    case 8:
      return scatter_items<uint64_t>(to, stride, from, n);
    default:
      return scatter_items<Sixteen>(to, stride, from, n);
  }
}

template <class T>
void repeat_item(char* to, int64_t n) {
  T value;
  std::memcpy(&value, to, sizeof(T));
  for (int64_t i = 1; i < n; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

// Writes the first of n items into all others.
void repeat_first(char* to, int64_t item, int64_t n) {
  switch (item) {
    case 1:
      return repeat_item<uint8_t>(to, n);
    case 2:
      return repeat_item<uint16_t>(to, n);
    case 4:
      return repeat_item<uint32_t>(to, n);
    case 8:
      return repeat_item<uint64_t>(to, n);
    default:
      return repeat_item<Sixteen>(to, n);
  }
}

// A position in the loop's index space.
class Odometer {
 public:
  Odometer(const Dims& sizes, int64_t linear) : sizes_(sizes), index_(sizes.size()) {
    for (int d = sizes.size(); d-- > 0;) {
      index_[d] = linear % sizes[d];
      linear /= sizes[d];
    }
  }
  int64_t left_in_row() const { return sizes_[sizes_.size() - 1] - index_[sizes_.size() - 1]; }
  void advance(int64_t n) {  // by at most left_in_row()
    int d = sizes_.size() - 1;
    index_[d] += n;
    while (d > 0 && index_[d] == sizes_[d]) {
      index_[d] = 0;
      ++index_[--d];
    }
  }
  int64_t offset(const Dims& strides) const {
    int64_t bytes = 0;
    for (int d = 0; d < strides.size(); ++d) bytes += index_[d] * strides[d];
    return bytes;
  }

 private:
  const Dims& sizes_;
  Dims index_;
};

void convert(void* to, DType to_dtype, const void* from, DType from_dtype, int64_t n) {
  CR_DISPATCH(convert_kernels)[static_cast<int>(from_dtype)][static_cast<int>(to_dtype)](to, from, n);
}

// One thread's share of the loop, with its scratch tiles.
class Worker {
 public:
  Worker(const Plan& plan, TileKernel kernel) : plan_(plan), kernel_(kernel) {
    for (int k = 1; k < plan.count; ++k) {
      if (plan.lanes[k].data && plan.lanes[k].constant) fill(k, plan.lanes[k].data, kTile);
    }
  }

  void run(int64_t begin, int64_t end) {
    Odometer at(plan_.sizes, begin);
    int64_t row = plan_.sizes[plan_.sizes.size() - 1];
    bool by_rows = row >= kLongRow;
    for (int64_t position = begin; position < end;) {
      int64_t n = std::min(kTile, end - position);
      if (by_rows) n = std::min(n, at.left_in_row());
      step(at, position, n, by_rows);
      position += n;
      for (int64_t left = n; left > 0;) {
        int64_t run = std::min(left, at.left_in_row());
        at.advance(run);
        left -= run;
      }
    }
    if (plan_.streams) CR_DISPATCH(stream_fence)();
  }

 private:
  void step(const Odometer& at, int64_t position, int64_t n, bool by_rows) {
    const void* in[kMaxTileOperands];
    for (int k = 1; k < plan_.count; ++k) in[k - 1] = fetch(k, at, position, n, by_rows);
    const Lane& out = plan_.lanes[0];
    if (out.as_is() && (out.dense || (by_rows && inner(out) == out.item()))) {
      char* to = out.data + (out.dense ? position * out.item() : at.offset(out.strides));
      if (!plan_.streams || reinterpret_cast<uintptr_t>(to) % 64 != 0) return kernel_(to, in, n);
      kernel_(tiles_[0], in, n);
      CR_DISPATCH(stream_copy)(to, tiles_[0], n * out.item());
      return;
    }
    kernel_(tiles_[0], in, n);
    store(out, at, position, n);
  }

  const void* fetch(int k, const Odometer& at, int64_t position, int64_t n, bool by_rows) {
    const Lane& lane = plan_.lanes[k];
    if (!lane.data) return nullptr;
    if (lane.constant) return tiles_[k];
    if (lane.dense) return converted(k, lane.data + position * lane.item(), n);
    if (by_rows) {
      const char* row = lane.data + at.offset(lane.strides);
      if (inner(lane) == lane.item()) return converted(k, row, n);
      if (inner(lane) == 0) return fill(k, row, n);
    }
    char* staged = lane.as_is() ? tiles_[k] : staging_;
    gather(lane, at, staged, n);
    return converted(k, staged, n);
  }

  static int64_t inner(const Lane& lane) { return lane.strides[lane.strides.size() - 1]; }

  const void* converted(int k, const char* from, int64_t n) {
    const Lane& lane = plan_.lanes[k];
    if (lane.as_is()) return from;
    convert(tiles_[k], lane.wanted, from, lane.dtype, n);
    return tiles_[k];
  }

  // Repeats one value over the tile, unless the tile has it from the step before.
  const void* fill(int k, const char* value, int64_t n) {
    if (filled_[k].value == value && n <= filled_[k].count) return tiles_[k];
    const Lane& lane = plan_.lanes[k];
    convert(tiles_[k], lane.wanted, value, lane.dtype, 1);
    repeat_first(tiles_[k], static_cast<int64_t>(size_of(lane.wanted)), n);
    filled_[k] = {value, n};
    return tiles_[k];
  }

  void gather(const Lane& lane, Odometer at, char* to, int64_t n) {
    for (int64_t done = 0; done < n;) {
      int64_t run = std::min(n - done, at.left_in_row());
      gather_run(to + done * lane.item(), lane.data + at.offset(lane.strides), inner(lane), lane.item(), run);
      at.advance(run);
      done += run;
    }
  }

  void store(const Lane& out, Odometer at, int64_t position, int64_t n) {
    char* from = tiles_[0];
    if (!out.as_is()) {
      char* to = out.dense ? out.data + position * out.item() : staging_;
      convert(to, out.dtype, tiles_[0], out.wanted, n);
      if (out.dense) return;
      from = staging_;
    }
    for (int64_t done = 0; done < n;) {
      int64_t run = std::min(n - done, at.left_in_row());
      scatter_run(out.data + at.offset(out.strides), inner(out), from + done * out.item(), out.item(), run);
      at.advance(run);
      done += run;
    }
  }

  struct Filled {
    const char* value = nullptr;
    int64_t count = 0;
  };
  const Plan& plan_;
  TileKernel kernel_;
  Filled filled_[kMaxTileOperands];
  alignas(64) char tiles_[kMaxTileOperands][kTile * 16];
  alignas(64) char staging_[kTile * 16];
};

// Dimensions from the largest output stride to the smallest; those of equal stride keep their order.
Dims loop_order(Span sizes, const TileOperand* operands, int count) {
  Dims order;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    if (sizes[d] != 1) order.push_back(d);
  }
  auto stride = [&](int k, int64_t d) { return std::abs(operands[k].strides[static_cast<int>(d)]); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    for (int k = 0; k < count; ++k) {
      if (!operands[k].data || stride(k, a) == stride(k, b)) continue;
      return stride(k, a) > stride(k, b);
    }
    return false;
  });
  return order;
}

// What is changed in place is in the caches already.
bool reads_output(const Plan& plan) {
  for (int k = 1; k < plan.count; ++k) {
    if (plan.lanes[k].data == plan.lanes[0].data) return true;
  }
  return false;
}

Plan make_plan(Span sizes, const TileOperand* operands, int count) {
  Plan plan;
  plan.count = count;
  plan.numel = 1;
  for (int64_t s : sizes) plan.numel *= s;
  for (int k = 0; k < count; ++k)
    plan.lanes[k] = {operands[k].data, operands[k].dtype, operands[k].wanted, Dims(), true, false};
  auto bytes = [&](int k, int64_t d) {
    return operands[k].strides[static_cast<int>(d)] * static_cast<int64_t>(size_of(operands[k].dtype));
  };
  for (int64_t d : loop_order(sizes, operands, count)) {
    int64_t size = sizes[static_cast<size_t>(d)];
    bool joins = !plan.sizes.empty();
    for (int k = 0; k < count && joins; ++k) {
      if (operands[k].data) joins = plan.lanes[k].strides.back() == bytes(k, d) * size;
    }
    if (joins)
      plan.sizes.back() *= size;
    else
      plan.sizes.push_back(size);
    for (int k = 0; k < count; ++k) {
      int64_t stride = operands[k].data ? bytes(k, d) : 0;
      if (joins)
        plan.lanes[k].strides.back() = stride;
      else
        plan.lanes[k].strides.push_back(stride);
    }
  }
  if (plan.sizes.empty()) {
    plan.sizes.push_back(1);
    for (int k = 0; k < count; ++k) plan.lanes[k].strides.push_back(static_cast<int64_t>(size_of(operands[k].dtype)));
  }
  for (int k = 0; k < count; ++k) {
    Lane& lane = plan.lanes[k];
    lane.dense = plan.sizes.size() == 1 && lane.strides[0] == lane.item();
    lane.constant = std::all_of(lane.strides.begin(), lane.strides.end(), [](int64_t s) { return s == 0; });
  }
  plan.streams = plan.numel * plan.lanes[0].item() >= kStreamBytes && !reads_output(plan);
  return plan;
}

// All operands lie in memory as the kernel takes them.
void run_direct(const Plan& plan, TileKernel kernel, int64_t begin, int64_t end) {
  const Lane& out = plan.lanes[0];
  bool streams = plan.streams && reinterpret_cast<uintptr_t>(out.data + begin * out.item()) % 64 == 0;
  alignas(64) char tile[kTile * 16];
  for (int64_t at = begin, n = 0; at < end; at += n) {
    n = streams ? std::min(kTile, end - at) : end - at;
    const void* in[kMaxTileOperands];
    for (int k = 1; k < plan.count; ++k) {
      in[k - 1] = plan.lanes[k].data ? plan.lanes[k].data + at * plan.lanes[k].item() : nullptr;
    }
    char* to = out.data + at * out.item();
    kernel(streams ? tile : to, in, n);
    if (streams) CR_DISPATCH(stream_copy)(to, tile, n * out.item());
  }
  if (streams) CR_DISPATCH(stream_fence)();
}

void run_plan(const Plan& plan, TileKernel kernel) {
  bool direct = true;
  for (int k = 0; k < plan.count; ++k) direct &= !plan.lanes[k].data || (plan.lanes[k].dense && plan.lanes[k].as_is());
  parallel_for(plan.numel, kGrain, [&](int64_t begin, int64_t end) {
    direct ? run_direct(plan, kernel, begin, end) : Worker(plan, kernel).run(begin, end);
  });
}

// Rows that are contiguous on both sides are copied whole. Returns false where they are not, or are short.
bool copy_rows(const Plan& plan) {
  constexpr int64_t kShortRow = 64;  // bytes
  const Lane &to = plan.lanes[0], &from = plan.lanes[1];
  const int last = plan.sizes.size() - 1;
  const int64_t bytes = plan.sizes[last] * to.item(), row = plan.sizes[last];
  if (last == 0 || plan.streams || to.dtype != from.dtype || to.strides[last] != to.item() ||
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
  switch (item) {
    case 1:
      return copy_block<uint8_t>;
    case 2:
      return copy_block<uint16_t>;
    case 4:
      return copy_block<uint32_t>;
    case 8:
      return copy_block<uint64_t>;
    default:
      return copy_block<Sixteen>;
  }
}

// A dimension, not the last, along which the source is contiguous; -1 if there is none of some length.
int transposed_dimension(const Plan& plan) {
  for (int d = plan.sizes.size() - 2; d >= 0; --d) {
    if (plan.lanes[1].strides[d] == plan.lanes[1].item() && plan.sizes[d] >= kSide / 2) return d;
  }
  return -1;
}

// A transposed source, block by block. Returns false where it is none.
bool copy_transposed(const Plan& plan) {
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

}  // namespace

void run_tiles(Span sizes, TileOperand* operands, int count, TileKernel kernel) {
  Plan plan = make_plan(sizes, operands, count);
  if (plan.numel > 0) run_plan(plan, kernel);
}

void copy_strided(Span sizes, char* to, DType to_dtype, Span to_strides, const char* from, DType from_dtype,
                  Span from_strides) {
  TileOperand operands[2] = {{to, to_dtype, to_dtype, Dims(to_strides)},
                             {const_cast<char*>(from), from_dtype, to_dtype, Dims(from_strides)}};
  Plan plan = make_plan(sizes, operands, 2);
  if (plan.numel == 0 || copy_rows(plan) || copy_transposed(plan)) return;
  auto item = size_of(to_dtype);
  run_plan(plan, [item](void* out, const void* const* in, int64_t n) {
    if (out != in[0]) std::memmove(out, in[0], static_cast<size_t>(n) * item);
  });
}

}  // namespace chainrule::cpu
