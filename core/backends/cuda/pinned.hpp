// Pinned memory of the host: a GPU copies from it and to it by itself, while the host goes on.
#pragma once
#include <cstddef>

#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {

// Blocks that are let go are kept for the next request of about that size.
void* allocate_pinned(size_t bytes);
void release_pinned(void* memory);
bool is_pinned(const void* address);

// A copy from or to that address was put on the stream: the block is not given to anybody else before it is done.
void note_copy(const void* address, Stream stream);

// While one lives, the host does not wait for copies from pinned memory: who writes there waits himself.
class NonBlockingScope {
 public:
  explicit NonBlockingScope(bool on);
  ~NonBlockingScope();
  NonBlockingScope(const NonBlockingScope&) = delete;
  static bool is_on();

 private:
  bool previous_;
};

}  // namespace chainrule::cuda
