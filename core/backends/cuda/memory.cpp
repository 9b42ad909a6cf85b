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
  MemoryCounts counts;
  double fraction = 1;

  Block* take(size_t bytes, Stream stream, bool small);
  Block* reserve(size_t bytes, Stream stream, bool small);
  void split(Block* b, size_t bytes);
  void put_back(Block* b);
  void empty();
  void absorb(Block* into, Block* next);
  void count(int64_t allocated, int64_t reserved);
};

DeviceMemory& memory_of(int device) {
  static std::array<std::unique_ptr<DeviceMemory>, 64>& all = *new std::array<std::unique_ptr<DeviceMemory>, 64>;
  auto& memory = all[static_cast<size_t>(device)];
  if (!memory) memory = std::make_unique<DeviceMemory>();
  return *memory;
}

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

void DeviceMemory::count(int64_t allocated, int64_t reserved) {
  counts.allocated += allocated;
  counts.reserved += reserved;
  counts.most_allocated = std::max(counts.most_allocated, counts.allocated);
  counts.most_reserved = std::max(counts.most_reserved, counts.reserved);
}

// The smallest free block that is large enough; a large one is not spent on much less than it has.
Block* DeviceMemory::take(size_t bytes, Stream stream, bool small) {
  Block wanted{nullptr, bytes, stream, small};
  auto& blocks = free[small];
  auto found = blocks.lower_bound(&wanted);
  if (found == blocks.end() || (*found)->stream != stream) return nullptr;
  Block* b = *found;
  blocks.erase(found);
  return b;
}

Block* DeviceMemory::reserve(size_t bytes, Stream stream, bool small) {
  const size_t segment = small ? kSmallSegment : bytes < kLargest ? kLargeSegment : rounded(bytes, kWhole);
  size_t unused = 0, total = 0;
  if (fraction < 1) {
    CUDA_CALL(memory_info, &unused, &total);
    if (static_cast<double>(counts.reserved) + static_cast<double>(segment) > fraction * static_cast<double>(total))
      return nullptr;
  }
  Address at = 0;
  const int code = driver().allocate(&at, segment);
  if (code == kOutOfMemory) return nullptr;
  check_driver(code, "allocate");
  ++counts.segments;
  count(0, static_cast<int64_t>(segment));
  return new Block{reinterpret_cast<char*>(at), segment, stream, small};
}

void DeviceMemory::split(Block* b, size_t bytes) {
  const size_t rest = b->bytes - bytes;
  if (rest < (b->is_small ? kRound : kSmall)) return;
  auto* second = new Block{b->begin + bytes, rest, b->stream, b->is_small, true, b, b->after};
  if (b->after) b->after->before = second;
  b->after = second;
  b->bytes = bytes;
  free[b->is_small].insert(second);
}

void DeviceMemory::absorb(Block* into, Block* next) {
  free[next->is_small].erase(next);
  into->bytes += next->bytes;
  into->after = next->after;
  if (next->after) next->after->before = into;
  delete next;
}

void DeviceMemory::put_back(Block* b) {
  if (b->after && b->after->is_free) absorb(b, b->after);
  if (b->before && b->before->is_free) {
    Block* first = b->before;
    free[first->is_small].erase(first);
    first->bytes += b->bytes;
    first->after = b->after;
    if (b->after) b->after->before = first;
    delete b;
    b = first;
  }
  b->is_free = true;
  free[b->is_small].insert(b);
}

// Whole segments go back to the driver, when nothing runs that might use them.
void DeviceMemory::empty() {
  CUDA_CALL(synchronize);
  for (auto& blocks : free) {
    std::erase_if(blocks, [&](Block* b) {
      if (b->before || b->after) return false;
      CUDA_CALL(release, address(b->begin));
      --counts.segments;
      count(0, -static_cast<int64_t>(b->bytes));
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

[[noreturn]] void raise_out_of_memory(const DeviceMemory& m, int device, size_t bytes) {
  size_t unused = 0, total = 0;
  driver().memory_info(&unused, &total);
  const auto allocated = static_cast<double>(m.counts.allocated), reserved = static_cast<double>(m.counts.reserved);
  raise(out_of_memory_error(), "CUDA out of memory. Tried to allocate ", size_text(static_cast<double>(bytes)),
        ". GPU ", device, " has a total capacity of ", size_text(static_cast<double>(total)), " of which ",
        size_text(static_cast<double>(unused)), " is free. Of the allocated memory ", size_text(allocated),
        " is allocated by chainrule, and ", size_text(reserved - allocated),
        " is reserved by chainrule but unallocated.");
}

}  // namespace

void* allocate(size_t bytes, int device) {
  if (bytes == 0) return nullptr;
  use_device(device);
  DeviceMemory& m = memory_of(device);
  const size_t size = rounded(bytes, kRound);
  const bool small = size <= kSmall;
  const Stream stream = current_stream();
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
  b->is_free = false;
  m.live.emplace(b->begin, b);
  ++m.counts.blocks;
  ++m.counts.allocations;
  m.count(static_cast<int64_t>(b->bytes), 0);
  return b->begin;
}

void release(void* memory, int device) {
  if (!memory) return;
  DeviceMemory& m = memory_of(device);
  const auto found = m.live.find(static_cast<char*>(memory));
  Block* b = found->second;
  m.live.erase(found);
  --m.counts.blocks;
  m.count(-static_cast<int64_t>(b->bytes), 0);
  m.put_back(b);
}

std::optional<LiveBlock> block_around(const void* address) {
  const auto& live = memory_of(current_device()).live;
  auto next = live.upper_bound(static_cast<const char*>(address));
  if (next == live.begin()) return {};
  const Block* b = std::prev(next)->second;
  if (static_cast<const char*>(address) >= b->begin + b->bytes) return {};
  return LiveBlock{b->begin, b->bytes};
}

MemoryCounts memory_counts(int device) { return memory_of(device).counts; }

void reset_peaks(int device) {
  MemoryCounts& counts = memory_of(device).counts;
  counts.most_allocated = counts.allocated;
  counts.most_reserved = counts.reserved;
}

void empty_cache() {
  for (int device = 0, n = device_count(); device < n; ++device) {
    DeviceMemory& m = memory_of(device);
    if (!m.counts.segments) continue;
    use_device(device);
    m.empty();
  }
  use_device(current_device());
}

void set_memory_fraction(int device, double fraction) { memory_of(device).fraction = fraction; }

}  // namespace chainrule::cuda
