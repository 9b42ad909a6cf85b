// Runs a contiguous kernel over operands of any strides and dtypes, through tiles of 512 elements.
#include "backends/cpu/tile_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "backends/cpu/convert.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/item_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 512;
constexpr int64_t kGrain = 32 * 1024;  // elements of work for one thread
constexpr int64_t kLongRow = 128;      // from this length on, tiles stay within a row

struct Lane {
  char* data;
  DType dtype, wanted;
  Dims strides;   // bytes
  bool constant;  // one value for the whole loop
  bool dense;     // its elements follow each other in the order of the loop
  bool periodic;  // every row is the same
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
void copy_items(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

template <class T>
void repeat_item(char* to, const char* from, int64_t n) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

// Writes the first of n items into all others.
void repeat_first(char* to, int64_t item, int64_t n) {
  with_item_type(item, [&]<class T>(T*) { repeat_item<T>(to, to, n); });
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
  void advance(int64_t n) {
    int d = sizes_.size() - 1;
    index_[d] += n;
    for (; d > 0 && index_[d] >= sizes_[d]; --d) {
      const bool once = index_[d] < 2 * sizes_[d];  // a division takes longer
      const int64_t turns = once ? 1 : index_[d] / sizes_[d];
      index_[d] -= turns * sizes_[d];
      index_[d - 1] += turns;
    }
  }
  // Calls f(offset, count) for the runs within rows that the next n elements make, where those lie `strides` apart.
  template <class F>
  void each_run(const Dims& strides, int64_t n, F f) const {
    const int last = sizes_.size() - 1;
    int64_t at = offset(strides), run = std::min(n, left_in_row());
    f(at, run);
    if (n == run) return;
    Dims index = index_;
    at -= index[last] * strides[last];
    for (int64_t left = n - run; left > 0; left -= run) {
      int d = last - 1;
      ++index[d];
      at += strides[d];
      for (; d > 0 && index[d] == sizes_[d]; --d) {
        at += strides[d - 1] - sizes_[d] * strides[d];
        index[d] = 0;
        ++index[d - 1];
      }
      run = std::min(left, sizes_[last]);
      f(at, run);
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
      if (plan.lanes[k].data && plan.lanes[k].constant) fill(k, plan.lanes[k].data, std::min(kTile, plan.numel));
    }
  }

  void run(int64_t begin, int64_t end) {
    Odometer at(plan_.sizes, begin);
    const int64_t row = plan_.sizes[plan_.sizes.size() - 1];
    const bool by_rows = row >= kLongRow;
    for (int64_t position = begin; position < end;) {
      // Short rows go several at a time; the first tile ends with a row, so that the others begin with one.
      const bool whole = !by_rows && at.left_in_row() == row;
      const int64_t n = std::min({end - position, kTile, whole ? kTile / row * row : at.left_in_row()});
      step(at, position, n, by_rows);
      position += n;
      at.advance(n);
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
    const char* first = lane.data + at.offset(lane.strides);
    if (lane.periodic && filled_[k].value == first && n <= filled_[k].count) return tiles_[k];
    char* staged = lane.as_is() ? tiles_[k] : staging_;
    gather(lane, at, staged, n);
    filled_[k] = {first, n};
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

  void gather(const Lane& lane, const Odometer& at, char* to, int64_t n) {
    const int64_t stride = inner(lane);
    with_item_type(lane.item(), [&]<class T>(T*) {
      at.each_run(lane.strides, n, [&](int64_t offset, int64_t run) {
        const char* from = lane.data + offset;
        if (stride == sizeof(T)) {  // told apart, so that the compiler knows the stride
          copy_items<T>(to, sizeof(T), from, sizeof(T), run);
        } else if (stride == 0) {
          repeat_item<T>(to, from, run);
        } else {
          copy_items<T>(to, sizeof(T), from, stride, run);
        }
        to += run * static_cast<int64_t>(sizeof(T));
      });
    });
  }

  void store(const Lane& out, const Odometer& at, int64_t position, int64_t n) {
    const char* from = tiles_[0];
    if (!out.as_is()) {
      char* to = out.dense ? out.data + position * out.item() : staging_;
      convert(to, out.dtype, tiles_[0], out.wanted, n);
      if (out.dense) return;
      from = staging_;
    }
    with_item_type(out.item(), [&]<class T>(T*) {
      at.each_run(out.strides, n, [&](int64_t offset, int64_t run) {
        if (inner(out) == sizeof(T)) {
          copy_items<T>(out.data + offset, sizeof(T), from, sizeof(T), run);
        } else {
          copy_items<T>(out.data + offset, inner(out), from, sizeof(T), run);
        }
        from += run * static_cast<int64_t>(sizeof(T));
      });
    });
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

bool follows_loop(const Lane& lane, const Dims& sizes) {
  int64_t expected = lane.item();
  for (int d = sizes.size(); d-- > 0; expected *= sizes[d]) {
    if (lane.strides[d] != expected) return false;
  }
  return true;
}

Plan make_plan(Span sizes, const TileOperand* operands, int count) {
  Plan plan;
  plan.count = count;
  plan.numel = 1;
  for (int64_t s : sizes) plan.numel *= s;
  for (int k = 0; k < count; ++k)
    plan.lanes[k] = {operands[k].data, operands[k].dtype, operands[k].wanted, Dims(), true, false, false};
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
    lane.dense = follows_loop(lane, plan.sizes);
    const auto zero = [](int64_t s) { return s == 0; };
    lane.constant = std::all_of(lane.strides.begin(), lane.strides.end(), zero);
    lane.periodic = std::all_of(lane.strides.begin(), lane.strides.end() - 1, zero);
  }
  plan.streams = plan.numel * plan.lanes[0].item() >= thresholds.stream && !reads_output(plan);
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
  BlockCopy copy;
  with_item_type(item, [&]<class T>(T*) { copy = copy_block<T>; });
  return copy;
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

// Short rows (the pixels of a shuffled image, say) go element by element along another dimension, which is longer: to
// find a row's place costs more than to copy it. Returns false where rows are not short, or nothing is longer.
bool copy_short_rows(const Plan& plan) {
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

}  // namespace

void run_tiles(Span sizes, TileOperand* operands, int count, TileKernel kernel) {
  Plan plan = make_plan(sizes, operands, count);
  if (plan.numel > 0) run_plan(plan, kernel);
}

void copy_strided(const StridedCopy& c) {
  TileOperand operands[2] = {{c.to, c.to_dtype, c.to_dtype, Dims(c.to_strides)},
                             {const_cast<char*>(c.from), c.from_dtype, c.to_dtype, Dims(c.from_strides)}};
  Plan plan = make_plan(c.sizes, operands, 2);
  if (plan.numel == 0 || copy_rows(plan) || copy_transposed(plan) || copy_short_rows(plan)) return;
  auto item = size_of(c.to_dtype);
  run_plan(plan, [item](void* out, const void* const* in, int64_t n) {
    if (out != in[0]) std::memmove(out, in[0], static_cast<size_t>(n) * item);
  });
}

}  // namespace chainrule::cpu
