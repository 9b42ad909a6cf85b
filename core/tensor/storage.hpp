// The bytes behind one or more tensors, how often they were written, and where last.
#pragma once
#include <Python.h>

#include <cstdint>

#include "tensor/device.hpp"
#include "tensor/recorder.hpp"
#include "tensor/source_line.hpp"

namespace chainrule {

// Note [Meta tensors]
// A tensor of the device "meta" has a shape, strides and a dtype, and no elements. Its storage says so, so that views,
// subclasses and saved tensors know it by themselves. Its bytes are zeros that nobody gets to see, and that take no
// memory as long as nobody writes them: operations run on them as on others, for the sake of their checks, shapes and
// histories. Where a call has such an argument, chainrule.meta runs it inside a DeviceScope, in which all new storages
// are of that device; the engine runs a graph of such tensors in one. Doors look for them only while one is alive.

// When a saved tensor is out of date.
// Each in-place write adds one to `version`. A tensor saved for backward remembers the version it was saved at; if the
// two differ when the gradient is calculated, the value is no longer the one the forward pass used, and we raise.
//
// Note [Tensors laid out anew]
// resize_, set_, x.data = y and x.t_() change what a tensor object is: its shape, its dtype, its memory. A gradient
// function reads what was saved, and the gradient that it is given, by the shapes of the forward pass, so both are
// compared where a tensor was laid out anew since (TensorExtras::relaid_at): `unpack` and the engine do that. A
// replacement of the same kind (x.data = y of the same shape) goes unnoticed, as in PyTorch.
//
// A function under func.grad or its kin may write into its arguments and into what it makes itself. A tensor from
// outside that it writes into would keep a history of the transform, so we raise, as PyTorch does. Transforms are
// counted as they begin, a storage remembers the count, and arguments count as made by the transform (begin_transform).

// The number that the next node takes. It is kept here since storages and tensors remember when they were changed.
inline uint64_t next_sequence = 1;

// What a new storage takes over from the thread that makes it, as one word.
struct StorageKind {
  Device device;
  bool inference : 1 = false;  // made under inference_mode: never part of a graph
  bool resizable : 1 = true;
  bool exported : 1 = false;  // others may read or write the bytes at any time
  bool recorded : 1 = false;  // in the memory of a recorded step
};

struct Storage : StorageKind {
  static constexpr size_t kInlineBytes = 64;

  uint32_t references;
  uint32_t made_in;  // the number of transforms that had begun; see above
  uint32_t version;
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

  // Of what kind new storages are; per thread.
  static thread_local StorageKind making __attribute__((tls_model("initial-exec")));
  // How many transforms ever began, and the number of this thread's innermost one; 0 outside of all.
  static uint32_t transforms;
  static thread_local uint32_t transform __attribute__((tls_model("initial-exec")));

  // x.data has a storage of its own over the memory of x: the one that the memory belongs to.
  Storage* origin();
  // From now on others may read or write the bytes at any time.
  void mark_exported() {
    exported = origin()->exported = true;
    if (recorder) [[unlikely]]
      cannot_replay("shows the memory of a tensor to others");
  }

  void retain() { ++references; }
  void release() {
    if (--references == 0) destroy();
  }
  void destroy();
  void destroy_special();  // one that Python sees, that borrows, or of another device
};

// While one lives, new storages are on that device.
class DeviceScope {
 public:
  explicit DeviceScope(Device device) : previous_(Storage::making.device) { Storage::making.device = device; }
  ~DeviceScope() { Storage::making.device = previous_; }
  DeviceScope(const DeviceScope&) = delete;

 private:
  Device previous_;
};

}  // namespace chainrule
