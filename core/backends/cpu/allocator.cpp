// Size classes in steps of an eighth of a power of two; freed blocks go to their class's list up to a limit.
#include "backends/cpu/allocator.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace chainrule::cpu {
namespace {

constexpr size_t kAlignment = 64;
constexpr int kClasses = 8 * 48;

struct FreeBlock {
  FreeBlock* next;
};

// Allocation happens under Python's lock, so plain fields suffice.
FreeBlock* free_blocks[kClasses];
MemoryStatistics statistics{};
#ifdef __SANITIZE_ADDRESS__
int64_t cache_limit = 0;  // so that the sanitizer sees every use after free
#else
int64_t cache_limit = int64_t{512} << 20;
#endif

struct SizeClass {
  int index;
  size_t capacity;
};

// Rounds up to a multiple of an eighth of the power of two below: at most 12.5 % is wasted.
SizeClass size_class(size_t bytes) {
  bytes = std::max(bytes, 2 * kAlignment);
  int exponent = std::bit_width(bytes - 1) - 1;
  size_t step = std::max(kAlignment, size_t{1} << std::max(exponent - 3, 0));
  size_t capacity = (bytes + step - 1) / step * step;
  int eighth = static_cast<int>((capacity - (size_t{1} << exponent)) * 8 >> exponent);
  return {exponent * 8 + eighth, capacity};
}

void* fresh(size_t capacity) {
  void* data = std::aligned_alloc(kAlignment, capacity);
  if (!data) {
    trim_memory();
    data = std::aligned_alloc(kAlignment, capacity);
  }
  if (!data) throw std::bad_alloc();
  return data;
}

}  // namespace

Block allocate(size_t bytes) {
  if (bytes > (size_t{1} << 46)) throw std::bad_alloc();
  auto [index, capacity] = size_class(bytes);
  statistics.allocated += static_cast<int64_t>(capacity);
  statistics.peak_allocated = std::max(statistics.peak_allocated, statistics.allocated);
  if (FreeBlock* block = free_blocks[index]) {
    free_blocks[index] = block->next;
    statistics.cached -= static_cast<int64_t>(capacity);
    return {block, capacity};
  }
  try {
    return {fresh(capacity), capacity};
  } catch (...) {
    statistics.allocated -= static_cast<int64_t>(capacity);
    throw;
  }
}

void release(Block block) {
  auto bytes = static_cast<int64_t>(block.capacity);
  statistics.allocated -= bytes;
  if (statistics.cached + bytes > cache_limit) {
    std::free(block.data);
    return;
  }
  auto* freed = static_cast<FreeBlock*>(block.data);
  int index = size_class(block.capacity).index;
  freed->next = free_blocks[index];
  free_blocks[index] = freed;
  statistics.cached += bytes;
}

MemoryStatistics memory_statistics() { return statistics; }
void reset_peak_memory() { statistics.peak_allocated = statistics.allocated; }

void trim_memory() {
  for (FreeBlock*& list : free_blocks) {
    while (list) std::free(std::exchange(list, list->next));
  }
  statistics.cached = 0;
}

void set_memory_cache_limit(int64_t bytes) {
  cache_limit = bytes;
  if (statistics.cached > bytes) trim_memory();
}

}  // namespace chainrule::cpu
