// The bytes behind one or more tensors, how often they were written, and where last.
#pragma once
#include <Python.h>

#include <cstdint>

#include "tensor/source_line.hpp"

namespace chainrule {

enum class Device : uint8_t { CPU };

// Note [Saved versions]
// Each in-place write adds one to `version`. A tensor saved for backward remembers the version it was saved at; if the
// two differ when the gradient is calculated, the value is no longer the one the forward pass used, and we raise.
struct Storage {
  static constexpr size_t kInlineBytes = 64;

  int64_t references;
  uint32_t version;
  Device device;
  bool resizable;
  bool exported;   // others may read or write the bytes at any time
  bool inference;  // made under inference_mode: never part of a graph
  int64_t bytes;
  char* data;
  size_t capacity;      // of the allocator's block; 0 when the bytes are inline or borrowed
  PyObject* owner;      // strong: the Python object whose memory is borrowed (a NumPy array, a buffer)
  PyObject* shown;      // weak: the UntypedStorage that shows these bytes to Python
  SourceLine written;   // the line of the last in-place write
  uint64_t written_at;  // the number that the next node had then; 0: never
  alignas(16) char small[kInlineBytes];

  // A new storage with one reference and undefined content.
  static Storage* make(int64_t bytes);
  // A storage over memory that `owner` keeps alive.
  static Storage* borrow(void* data, int64_t bytes, PyObject* owner);

  // Whether new storages are for inference only; per thread.
  static thread_local bool making_inference __attribute__((tls_model("initial-exec")));

  void retain() { ++references; }
  void release() {
    if (--references == 0) destroy();
  }
  void destroy();
};

}  // namespace chainrule
