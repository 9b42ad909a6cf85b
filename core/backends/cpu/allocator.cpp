// Size classes in steps of an eighth of a power of two; freed blocks go to their class's list. When more is kept than
// the limit allows, the classes that were used the longest ago give theirs back to the system.
#include "backends/cpu/allocator.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <Python.h>
#endif

namespace chainrule::cpu {
namespace {

constexpr size_t kAlignment = 64;
constexpr int kClasses = 8 * 48;
constexpr size_t kHugePage = 2 << 20, kPage = 4096;

struct FreeBlock {
  FreeBlock* next;
};

// Allocation happens under Python's lock, so plain fields suffice; the sanitized build checks it.
void check_lock() {
#ifdef __SANITIZE_ADDRESS__
  if (!PyGILState_Check()) std::abort();
#endif
}
FreeBlock* free_blocks[kClasses];
uint64_t last_release[kClasses], releases = 0;  // when a class was given a block, counted in such events
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

// The capacity of all blocks of a class.
int64_t capacity_of(int index) { return int64_t{8 + index % 8} << (index / 8) >> 3; }

// Null if there is no memory.
void* aligned_memory(size_t alignment, size_t capacity) {
  void* data = nullptr;
  return posix_memalign(&data, alignment, capacity) ? nullptr : data;
}

// Asks for huge pages where they fit. The first touch of a page costs more than the arithmetic on it, of a huge page a
// fifth per byte, and matrix products find more of them in the address cache.
void* on_huge_pages(void* data, [[maybe_unused]] size_t capacity) {
#if defined(__linux__)
  if (data) madvise(data, capacity / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return data;
}

// Blocks that are long but do not fill a huge page share a region of several. It lives until the last of them is given
// back; the pages of those given back before are not kept either. Small programs stay on small pages: they would pay
// for the rest of a huge one, and gain little.
struct Region {
  static constexpr size_t kSize = 4 * kHugePage;
  static constexpr int64_t kSmallProgram = 16 << 20;  // bytes in live tensors
#ifdef __SANITIZE_ADDRESS__
  static constexpr size_t kShortest = kHugePage;  // so that the sanitizer knows every block
#else
  static constexpr size_t kShortest = 64 * 1024;
#endif
  size_t used = kAlignment;  // this header is at the beginning
  int blocks = 0;

  static bool holds(size_t capacity) { return capacity >= kShortest && capacity < kHugePage; }
  static Region* of(void* block) {
    return reinterpret_cast<Region*>(reinterpret_cast<uintptr_t>(block) & ~(kSize - 1));
  }
  static void* take(size_t capacity);
  static void give_back(void* block, size_t capacity);
};
Region* open_region = nullptr;  // where new blocks come from

void* Region::take(size_t capacity) {
  if (!open_region || open_region->used + capacity > kSize) {
    void* pages = aligned_memory(kSize, kSize);
    if (!pages) return nullptr;
    if (statistics.allocated > kSmallProgram) on_huge_pages(pages, kSize);
    open_region = new (pages) Region;
  }
  void* block = reinterpret_cast<char*>(open_region) + std::exchange(open_region->used, open_region->used + capacity);
  ++open_region->blocks;
  return block;
}

void Region::give_back(void* block, size_t capacity) {
  Region* region = of(block);
  if (--region->blocks == 0) {
    if (region == open_region) open_region = nullptr;
    std::free(region);
    return;
  }
#if defined(__linux__)
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + capacity) & ~(kPage - 1);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

void* from_system(size_t capacity) {
  if (Region::holds(capacity)) return Region::take(capacity);
  if (capacity < kHugePage) return aligned_memory(kAlignment, capacity);
  return on_huge_pages(aligned_memory(kHugePage, capacity), capacity);
}

void to_system(void* block, size_t capacity) {
  if (Region::holds(capacity)) return Region::give_back(block, capacity);
  std::free(block);
}

void* fresh(size_t capacity) {
  void* data = from_system(capacity);
  if (!data) {
    trim_memory();
    data = from_system(capacity);
  }
  if (!data) throw std::bad_alloc();
  return data;
}

// Gives blocks back until at most `bytes` are kept, those of the class that was used the longest ago first.
void shrink_cache(int64_t bytes) {
  while (statistics.cached > bytes) {
    int oldest = -1;
    for (int i = 0; i < kClasses; ++i) {
      if (free_blocks[i] && (oldest < 0 || last_release[i] < last_release[oldest])) oldest = i;
    }
    for (FreeBlock*& list = free_blocks[oldest]; list && statistics.cached > bytes;) {
      to_system(std::exchange(list, list->next), capacity_of(oldest));
      statistics.cached -= capacity_of(oldest);
    }
  }
}

// Takes a block from the list that `link` is part of.
void* unlink_block(FreeBlock*& link, int64_t capacity) {
  statistics.cached -= capacity;
  return std::exchange(link, link->next);
}

void keep_block(void* block, int index, int64_t capacity) {
  free_blocks[index] = new (block) FreeBlock{free_blocks[index]};
  last_release[index] = ++releases;
  statistics.cached += capacity;
}
// A network's activations are often half or twice as large as the gradients that are made while they are freed. Of
// blocks that share a region, one of twice the size is split when there is none of the right size, and two neighbours
// of half the size are joined. Other sizes keep to themselves.
constexpr int kDouble = 8;  // classes further is twice the size

void* half_of_a_larger(SizeClass c) {
  const int twice = c.index + kDouble;
  if (!Region::holds(2 * c.capacity) || !free_blocks[twice]) return nullptr;
  const auto bytes = static_cast<int64_t>(c.capacity);
  char* whole = static_cast<char*>(unlink_block(free_blocks[twice], 2 * bytes));
  ++Region::of(whole)->blocks;
  keep_block(whole + bytes, c.index, bytes);
  return whole;
}

void* joined_neighbours(SizeClass c) {
  if (!Region::holds(c.capacity / 2)) return nullptr;
  const auto bytes = static_cast<int64_t>(c.capacity / 2);
  constexpr int kMost = 64;  // a longer list is not searched to its end
  FreeBlock** links[kMost];
  int n = 0;
  for (FreeBlock** link = &free_blocks[c.index - kDouble]; *link && n < kMost; link = &(*link)->next) links[n++] = link;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      char* first = reinterpret_cast<char*>(*links[i]);
      if (first + bytes != reinterpret_cast<char*>(*links[k]) || Region::of(first) != Region::of(*links[k])) continue;
      unlink_block(*links[std::max(i, k)], bytes);  // the later one first: the other's link stays where it is
      unlink_block(*links[std::min(i, k)], bytes);
      --Region::of(first)->blocks;
      return first;
    }
  }
  return nullptr;
}

// From what is kept; null if nothing fits.
void* from_cache(SizeClass c) {
  if (free_blocks[c.index]) return unlink_block(free_blocks[c.index], static_cast<int64_t>(c.capacity));
  if (!Region::holds(c.capacity)) return nullptr;
  void* block = half_of_a_larger(c);
  return block ? block : joined_neighbours(c);
}

}  // namespace

Block allocate(size_t bytes) {
  check_lock();
  if (bytes > (size_t{1} << 46)) throw std::bad_alloc();
  const SizeClass c = size_class(bytes);
  const size_t capacity = c.capacity;
  statistics.allocated += static_cast<int64_t>(capacity);
  statistics.peak_allocated = std::max(statistics.peak_allocated, statistics.allocated);
  if (void* block = from_cache(c)) return {block, capacity};
  try {
    return {fresh(capacity), capacity};
  } catch (...) {
    statistics.allocated -= static_cast<int64_t>(capacity);
    throw;
  }
}

void release(Block block) {
  check_lock();
  auto bytes = static_cast<int64_t>(block.capacity);
  statistics.allocated -= bytes;
  if (bytes > cache_limit) {
    to_system(block.data, block.capacity);
    return;
  }
  shrink_cache(cache_limit - bytes);
  keep_block(block.data, size_class(block.capacity).index, bytes);
}

MemoryStatistics memory_statistics() { return statistics; }
void reset_peak_memory() { statistics.peak_allocated = statistics.allocated; }

void trim_memory() { shrink_cache(0); }

void set_memory_cache_limit(int64_t bytes) {
  cache_limit = std::max<int64_t>(0, bytes);
  shrink_cache(cache_limit);
}

}  // namespace chainrule::cpu
