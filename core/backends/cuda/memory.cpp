#include "backends/cuda/memory.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "backends/cuda/errors.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

// The driver's own allocations take a hundred microseconds and wait for the GPU. So segments are taken from it and cut
// into blocks; a block that is let go is joined with free neighbours and waits for the next tensor. A block belongs to
// the stream on which it was asked for: work there follows in order, so it can be used again at once.
constexpr size_t kRound = 512, kSmall = 1 << 20, kSmallSegment = 2 << 20, kLargeSegment = 20 << 20;
constexpr size_t kLargest = 10 << 20;  // from here on a segment is the request's own, in whole megabytes
constexpr size_t kWhole = 2 << 20;

struct Block {
  char* begin;
  size_t bytes;
  Stream stream;
  bool is_small, is_free = false;
  Block *before = nullptr, *after = nullptr;  // neighbours in the segment
  size_t asked = 0;                           // by whom it lives
  SourceLine line = {};
  std::vector<Stream> others = {};  // that work with it, besides its own

  bool is_split() const { return before || after; }
};

// A block that its owner has let go, and that another stream may still work with.
struct Awaited {
  Block* block;
  Event event;
};

struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    return a->stream != b->stream ? a->stream < b->stream
           : a->bytes != b->bytes ? a->bytes < b->bytes
                                  : a->begin < b->begin;
  }
};

struct DeviceMemory {
  std::set<Block*, BySize> free[2];    // large and small blocks
  std::map<const char*, Block*> live;  // by address
  std::vector<Awaited> awaited;        // a block once for each stream
  MemoryCounts counts;
  double fraction = 1;

  Block* take(size_t bytes, Stream stream, bool small);
  Block* reserve(size_t bytes, Stream stream, bool small);
  void split(Block* b, size_t bytes);
  void put_back(Block* b);
  void await_streams(Block* b);
  void take_back_awaited(bool wait);
  void empty();
  Block* around(const void* address) const;
  void set_free(Block* b);
  void unset_free(Block* b);
  void count(Counted what, const Block* b, int64_t n) {
    Count* pools = counts.counts[static_cast<int>(what)];
    pools[0].add(n);
    pools[1 + b->is_small].add(n);
  }
  void count_block(Counted blocks, Counted bytes, const Block* b, int sign) {
    count(blocks, b, sign);
    count(bytes, b, sign * static_cast<int64_t>(b->bytes));
  }
};

DeviceMemory& memory_of(int device) {
  static std::array<std::unique_ptr<DeviceMemory>, 64>& all = *new std::array<std::unique_ptr<DeviceMemory>, 64>;
  auto& memory = all[static_cast<size_t>(device)];
  if (!memory) memory = std::make_unique<DeviceMemory>();
  return *memory;
}

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

Block* DeviceMemory::around(const void* address) const {
  auto next = live.upper_bound(static_cast<const char*>(address));
  if (next == live.begin()) return nullptr;
  Block* const b = std::prev(next)->second;
  return static_cast<const char*>(address) < b->begin + b->bytes ? b : nullptr;
}

void DeviceMemory::set_free(Block* b) {
  b->is_free = true;
  free[b->is_small].insert(b);
  if (b->is_split()) count_block(Counted::InactiveSplit, Counted::InactiveSplitBytes, b, 1);
}
void DeviceMemory::unset_free(Block* b) {
  free[b->is_small].erase(b);
  b->is_free = false;
  if (b->is_split()) count_block(Counted::InactiveSplit, Counted::InactiveSplitBytes, b, -1);
}

// The smallest free block that is large enough; a large one is not spent on much less than it has.
Block* DeviceMemory::take(size_t bytes, Stream stream, bool small) {
  Block wanted{nullptr, bytes, stream, small};
  auto& blocks = free[small];
  auto found = blocks.lower_bound(&wanted);
  if (found == blocks.end() || (*found)->stream != stream) return nullptr;
  Block* b = *found;
  unset_free(b);
  return b;
}

Block* DeviceMemory::reserve(size_t bytes, Stream stream, bool small) {
  const size_t segment = small ? kSmallSegment : bytes < kLargest ? kLargeSegment : rounded(bytes, kWhole);
  size_t unused = 0, total = 0;
  if (fraction < 1) {
    CUDA_CALL(memory_info, &unused, &total);
    const auto reserved = static_cast<double>(counts.of(Counted::ReservedBytes).current);
    if (reserved + static_cast<double>(segment) > fraction * static_cast<double>(total)) return nullptr;
  }
  Address at = 0;
  const int code = driver().allocate(&at, segment);
  if (code == kOutOfMemory) return nullptr;
  check_driver(code, "allocate");
  auto* b = new Block{reinterpret_cast<char*>(at), segment, stream, small};
  count_block(Counted::Segment, Counted::ReservedBytes, b, 1);
  return b;
}

void DeviceMemory::split(Block* b, size_t bytes) {
  const size_t rest = b->bytes - bytes;
  if (rest < (b->is_small ? kRound : kSmall)) return;
  auto* second = new Block{b->begin + bytes, rest, b->stream, b->is_small, true, b, b->after};
  if (b->after) b->after->before = second;
  b->after = second;
  b->bytes = bytes;
  set_free(second);
}

// Two neighbours, neither of them among the free ones, become the first.
Block* joined(Block* first, Block* second) {
  first->bytes += second->bytes;
  first->after = second->after;
  if (second->after) second->after->before = first;
  delete second;
  return first;
}

void DeviceMemory::put_back(Block* b) {
  count_block(Counted::Active, Counted::ActiveBytes, b, -1);
  if (Block* after = b->after; after && after->is_free) {
    unset_free(after);
    b = joined(b, after);
  }
  if (Block* before = b->before; before && before->is_free) {
    unset_free(before);
    b = joined(before, b);
  }
  set_free(b);
}

// What other streams were told up to now comes first.
void DeviceMemory::await_streams(Block* b) {
  for (Stream stream : b->others) {
    Event event = nullptr;
    constexpr unsigned kNoTiming = 2;
    CUDA_CALL(create_event, &event, kNoTiming);
    CUDA_CALL(record_event, event, stream);
    awaited.push_back({b, event});
  }
}

void DeviceMemory::take_back_awaited(bool wait) {
  std::erase_if(awaited, [&](const Awaited& a) {
    if (wait) CUDA_CALL(synchronize_event, a.event);
    if (driver().query_event(a.event) == kNotReady) return false;
    CUDA_CALL(destroy_event, a.event);
    a.block->others.pop_back();
    if (a.block->others.empty()) put_back(a.block);
    return true;
  });
}

// Whole segments go back to the driver, when nothing runs that might use them.
void DeviceMemory::empty() {
  CUDA_CALL(synchronize);
  take_back_awaited(true);
  for (auto& blocks : free) {
    std::erase_if(blocks, [&](Block* b) {
      if (b->is_split()) return false;
      CUDA_CALL(release, address(b->begin));
      count_block(Counted::Segment, Counted::ReservedBytes, b, -1);
      delete b;
      return true;
    });
  }
}

std::string size_text(double bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", bytes, units[unit]);
  return text;
}

std::string lines_text(int device) {
  constexpr size_t kShown = 5;
  std::string text;
  for (const LineTotal& l : largest_lines(device, kShown)) {
    text += "\n  " + size_text(static_cast<double>(l.bytes)) + " in " + std::to_string(l.blocks) +
            (l.blocks == 1 ? " tensor of " : " tensors of ") + (l.line.empty() ? "no known line" : l.line);
  }
  return text.empty() ? text : "\nThe lines that hold the most:" + text;
}

[[noreturn]] void raise_out_of_memory(const DeviceMemory& m, int device, size_t bytes) {
  size_t unused = 0, total = 0;
  driver().memory_info(&unused, &total);
  const auto allocated = static_cast<double>(m.counts.of(Counted::AllocatedBytes).current),
             reserved = static_cast<double>(m.counts.of(Counted::ReservedBytes).current);
  const std::string limit = m.fraction < 1 ? " " + size_text(m.fraction * static_cast<double>(total)) +
                                                 " allowed by set_per_process_memory_fraction();"
                                           : "";
  raise(out_of_memory_error(), "CUDA out of memory. Tried to allocate ", size_text(static_cast<double>(bytes)),
        ". GPU ", device, " has a total capacity of ", size_text(static_cast<double>(total)), " of which ",
        size_text(static_cast<double>(unused)), " is free.", limit, " Of the allocated memory ", size_text(allocated),
        " is allocated by chainrule, and ", size_text(reserved - allocated),
        " is reserved by chainrule but unallocated.", lines_text(device));
}

}  // namespace

void* allocate(size_t bytes, int device) {
  if (bytes == 0) return nullptr;
  use_device(device);
  DeviceMemory& m = memory_of(device);
  const size_t size = rounded(bytes, kRound);
  const bool small = size <= kSmall;
  const Stream stream = stream_of_device(device);
  if (!m.awaited.empty()) m.take_back_awaited(false);
  Block* b = m.take(size, stream, small);
  if (!b) b = m.reserve(size, stream, small);
  if (!b) {
    ++m.counts.retries;
    m.empty();
    b = m.reserve(size, stream, small);
  }
  if (!b) {
    ++m.counts.failures;
    raise_out_of_memory(m, device, bytes);
  }
  m.split(b, size);
  b->asked = bytes;
  if (lines_of_blocks.current) b->line = lines_of_blocks.current();
  m.live.emplace(b->begin, b);
  m.count_block(Counted::Allocation, Counted::AllocatedBytes, b, 1);
  m.count_block(Counted::Active, Counted::ActiveBytes, b, 1);
  m.count(Counted::RequestedBytes, b, static_cast<int64_t>(bytes));
  return b->begin;
}

void release(void* memory, int device) {
  if (!memory) return;
  DeviceMemory& m = memory_of(device);
  const auto found = m.live.find(static_cast<char*>(memory));
  Block* b = found->second;
  m.live.erase(found);
  b->line = {};
  m.count_block(Counted::Allocation, Counted::AllocatedBytes, b, -1);
  m.count(Counted::RequestedBytes, b, -static_cast<int64_t>(b->asked));
  if (b->others.empty() || !is_initialized()) return m.put_back(b);
  use_device(device);
  m.await_streams(b);
}

void record_stream(const void* address, int device, Stream stream) {
  Block* const b = memory_of(device).around(address);
  if (!b || b->stream == stream) return;
  if (std::find(b->others.begin(), b->others.end(), stream) == b->others.end()) b->others.push_back(stream);
}

std::vector<LineTotal> largest_lines(int device, size_t most) {
  if (!lines_of_blocks.describe) return {};
  std::map<std::string, LineTotal> by_line;
  for (const auto& [begin, block] : memory_of(device).live) {
    const std::string line = lines_of_blocks.describe(block->line);
    LineTotal& total = by_line.try_emplace(line, LineTotal{line, 0, 0}).first->second;
    total.bytes += static_cast<int64_t>(block->bytes);
    ++total.blocks;
  }
  std::vector<LineTotal> all;
  for (auto& [line, total] : by_line) all.push_back(std::move(total));
  std::stable_sort(all.begin(), all.end(), [](const LineTotal& a, const LineTotal& b) { return a.bytes > b.bytes; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::optional<LiveBlock> block_around(const void* address) {
  const Block* const b = memory_of(current_device()).around(address);
  if (!b) return {};
  return LiveBlock{b->begin, b->bytes};
}

int device_of(const void* address) {
  for (int device = 0, n = device_count(); device < n; ++device) {
    if (memory_of(device).around(address)) return device;
  }
  return -1;
}

MemoryCounts memory_counts(int device) { return memory_of(device).counts; }

void reset_peaks(int device) {
  for (auto& pools : memory_of(device).counts.counts)
    for (Count& c : pools) c.peak = c.current;
}

void reset_totals(int device) {
  MemoryCounts& all = memory_of(device).counts;
  for (auto& pools : all.counts)
    for (Count& c : pools) c.added = c.removed = 0;
  all.retries = all.failures = 0;
}

void empty_cache() {
  for (int device = 0, n = device_count(); device < n; ++device) {
    DeviceMemory& m = memory_of(device);
    if (!m.counts.of(Counted::Segment).current) continue;
    use_device(device);
    m.empty();
  }
  use_device(current_device());
}

void set_memory_fraction(int device, double fraction) { memory_of(device).fraction = fraction; }
double memory_fraction(int device) { return memory_of(device).fraction; }

}  // namespace chainrule::cuda
