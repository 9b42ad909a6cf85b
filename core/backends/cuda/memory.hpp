// Memory of GPUs: blocks that are kept when they are let go, by device and stream.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/driver.hpp"
#include "tensor/source_line.hpp"

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
// Which GPU's live block an address lies in; -1: none's.
int device_of(const void* address);

// What is counted, for all blocks and apart for large and small ones; in PyTorch's order of these names.
enum class Counted {
  Allocation,
  Segment,
  Active,
  InactiveSplit,
  AllocatedBytes,
  ReservedBytes,
  ActiveBytes,
  InactiveSplitBytes,
  RequestedBytes
};
constexpr int kCounted = 9, kPools = 3;

struct Count {
  int64_t current = 0, peak = 0, added = 0, removed = 0;
  void add(int64_t n) {
    current += n;
    peak = std::max(peak, current);
    (n > 0 ? added : removed) += std::abs(n);
  }
};
struct MemoryCounts {
  Count counts[kCounted][kPools];  // all, large, small
  int64_t retries = 0, failures = 0;

  Count& of(Counted what) { return counts[static_cast<int>(what)][0]; }
  const Count& of(Counted what) const { return counts[static_cast<int>(what)][0]; }
};
MemoryCounts memory_counts(int device);
void reset_peaks(int device);
void reset_totals(int device);  // what was added and removed since the beginning
void empty_cache();
// That stream works with the memory, too: it is not given to anybody else before the stream has come this far.
void record_stream(const void* address, int device, Stream stream);

// Blocks remember the line of the user's program that asked for them, for the error that memory is exhausted. How lines
// are taken and told is known above, in autograd/.
struct LinesOfBlocks {
  SourceLine (*current)() = nullptr;
  std::string (*describe)(const SourceLine&) = nullptr;
};
inline LinesOfBlocks lines_of_blocks;
struct LineTotal {
  std::string line;
  int64_t bytes, blocks;
};
// The lines that hold the most, largest first.
std::vector<LineTotal> largest_lines(int device, size_t most);

// Of all memory of the GPU, how much this process may take.
void set_memory_fraction(int device, double fraction);
double memory_fraction(int device);

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
