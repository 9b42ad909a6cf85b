// Memory of GPUs: blocks that are kept when they are let go, by device and stream.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {

// Raises torch.OutOfMemoryError.
void* allocate(size_t bytes, int device);
void release(void* memory, int device);

// The block in which an address lies.
struct LiveBlock {
  char* begin;
  size_t bytes;
};
std::optional<LiveBlock> block_around(const void* address);

struct MemoryCounts {
  int64_t allocated = 0, most_allocated = 0, reserved = 0, most_reserved = 0;
  int64_t blocks = 0, allocations = 0, segments = 0, retries = 0, failures = 0;
};
MemoryCounts memory_counts(int device);
void reset_peaks(int device);
void empty_cache();
// Of all memory of the GPU, how much this process may take.
void set_memory_fraction(int device, double fraction);

// Memory for the time of one call of a backend: the next call on the same stream may have it.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : device_(current_device()), memory_(allocate(bytes, device_)) {}
  ~Scratch() { release(memory_, device_); }
  Scratch(const Scratch&) = delete;
  char* data() const { return static_cast<char*>(memory_); }

 private:
  int device_;
  void* memory_;
};

inline Address address(const void* p) { return reinterpret_cast<Address>(p); }

}  // namespace chainrule::cuda
