// Sorting rows: short ones in a block's own memory, long ones by digits.
#include "backends/cuda/sort.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "backends/cuda/exclusive_sums.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

KernelText text_of(const char* file, const char* entry, DType dtype) {
  KernelText text(file, entry);
  return text.with("order_key.cuh").with("running.cuh").type("S", storage_type(dtype)).type("K", key_type(dtype));
}

struct ShortTask {
  const void* x;
  void* values;
  int64_t* indices;
  int64_t rows, n, take;
  int padded, together;
  bool descending;
};

struct LongTask {
  const void* x;
  char* keys;
  uint32_t* order;
  char* keys_to;
  uint32_t* order_to;
  int64_t* places;
  void* values;
  int64_t* indices;
  int64_t rows, n, tiles;
  int shift;
  bool descending;
};

// Keys and where they were, before and after a pass.
class DigitSort {
 public:
  explicit DigitSort(const SortedCopy& s)
      : s_(s),
        item_(size_of(s.x.dtype)),
        elements_(s.x.count * s.x.length),
        tiles_(divide_up(s.x.length, item_ <= 4 ? 4096 : 2048)),
        keys_(room(2 * item_)),
        order_(room(2 * sizeof(uint32_t))),
        places_(static_cast<size_t>(count()) * sizeof(int64_t)) {}

  void start(int bits) {
    const int all = static_cast<int>(item_) * 8;
    LongTask task{s_.x.data,    keys_.data(),
                  order(0),     keys_.data() + half(item_),
                  order(1),     reinterpret_cast<int64_t*>(places_.data()),
                  s_.values,    s_.indices,
                  s_.x.count,   s_.x.length,
                  tiles_,       0,
                  s_.descending};
    for (; task.shift < std::min(bits, all); task.shift += 8) {
      pass(task);
      std::swap(task.keys, task.keys_to);
      std::swap(task.order, task.order_to);
    }
    text("finish", false).run({blocks_for_loop(elements_)}, kThreads, task);
  }

 private:
  size_t half(size_t item) const { return (static_cast<size_t>(elements_) * item + 15) / 16 * 16; }
  Scratch room(size_t two) const { return Scratch(2 * half(two / 2)); }
  int64_t count() const { return s_.x.count * 256 * tiles_; }
  uint32_t* order(size_t which) const {
    return reinterpret_cast<uint32_t*>(order_.data() + which * half(sizeof(uint32_t)));
  }
  KernelText text(const char* entry, bool first) const {
    KernelText t = text_of("sort_long.cuh", entry, s_.x.dtype);
    return t.number("kFirst", first);
  }
  void pass(const LongTask& task) const {
    const bool first = task.shift == 0;
    text("count_digits", first).run({s_.x.count * tiles_}, kThreads, task);
    exclusive_sums(task.places, count());
    text("move_keys", first).run({s_.x.count * tiles_}, kThreads, task);
  }

  const SortedCopy& s_;
  const size_t item_;
  const int64_t elements_, tiles_;
  const Scratch keys_, order_, places_;
};

void rows(const SortedCopy& s) { sort_rows(s); }

}  // namespace

const char* key_type(DType t) { return raw_type(size_of(t)); }

void sort_short_rows(const SortedCopy& s, int64_t take) {
  const auto n = static_cast<uint64_t>(s.x.length);
  const int64_t padded = static_cast<int64_t>(std::bit_ceil(std::max<uint64_t>(n, 2)));
  const int64_t together = std::min<int64_t>(kShortRow / padded, s.x.count);
  const ShortTask task{s.x.data,
                       s.values,
                       s.indices,
                       s.x.count,
                       s.x.length,
                       take,
                       static_cast<int>(padded),
                       static_cast<int>(together),
                       s.descending};
  text_of("sort_short.cuh", "sort_short", s.x.dtype).run({divide_up(s.x.count, together)}, kThreads, task);
}

void sort_rows(const SortedCopy& s, int bits) {
  constexpr int64_t kMostPlaces = int64_t{1} << 32;  // of an order that is numbered in 32 bits
  if (s.x.count == 0 || s.x.length == 0) return;
  if (s.x.length <= kShortRow) return sort_short_rows(s, s.x.length);
  if (s.x.length >= kMostPlaces) return fallback<&SortKernels::rows>(s);
  DigitSort(s).start(bits);
}

const SortKernels sort_kernels{.rows = {rows}};

}  // namespace chainrule::cuda
