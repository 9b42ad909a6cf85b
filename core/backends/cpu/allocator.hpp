// Memory for tensors' bytes: 64-byte aligned blocks, kept in size classes and used again.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainrule::cpu {

struct Block {
  void* data;
  size_t capacity;  // at least the bytes asked for; give it back unchanged
};

// Throws std::bad_alloc when the system has no more.
Block allocate(size_t bytes);
void release(Block block);

struct MemoryStatistics {
  int64_t allocated;       // bytes in live tensors
  int64_t peak_allocated;  // the most there were since the last reset
  int64_t cached;          // bytes kept for reuse
};
MemoryStatistics memory_statistics();
void reset_peak_memory();
// Returns all cached blocks to the system.
void trim_memory();
// At most this many bytes are kept for reuse.
void set_memory_cache_limit(int64_t bytes);

}  // namespace chainrule::cpu
