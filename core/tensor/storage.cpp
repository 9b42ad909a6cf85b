// Storages come from a free list; their bytes are inline when few, else from the device's allocator.
#include "tensor/storage.hpp"

#include <new>
#include <utility>

#include "backends/cpu/allocator.hpp"
#include "tensor/error.hpp"
#include "tensor/shown_storage.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {
namespace {

struct FreeStorage {
  FreeStorage* next;
};
FreeStorage* free_storages = nullptr;

Storage* blank() {
  void* memory = free_storages ? std::exchange(free_storages, free_storages->next) : std::malloc(sizeof(Storage));
  if (!memory) throw std::bad_alloc();
  auto* storage = static_cast<Storage*>(memory);
  storage->references = 1;
  storage->version = 0;
  storage->device = Device::CPU;
  storage->resizable = true;
  storage->exported = false;
  storage->inference = Storage::making_inference;
  storage->capacity = 0;
  storage->owner = nullptr;
  storage->shown = nullptr;
  storage->made_in = Storage::transforms;
  new (&storage->written) SourceLine();
  storage->written_at = 0;
  return storage;
}

void recycle(Storage* storage) {
#ifdef __SANITIZE_ADDRESS__
  return std::free(storage);  // so that the sanitizer sees every use after free
#endif
  auto* freed = reinterpret_cast<FreeStorage*>(storage);
  freed->next = free_storages;
  free_storages = freed;
}

[[noreturn]] void out_of_memory(int64_t bytes) {
  raise(PyExc_RuntimeError,
        "[enforce fail at alloc_cpu] DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
        " bytes.");
}

}  // namespace

thread_local bool Storage::making_inference = false;
uint32_t Storage::transforms = 0;
thread_local uint32_t Storage::transform = 0;

Storage* Storage::make(int64_t bytes) {
  Storage* storage = blank();
  storage->bytes = bytes;
  if (bytes <= static_cast<int64_t>(kInlineBytes)) {
    storage->data = storage->small;
    return storage;
  }
  try {
    cpu::Block block = cpu::allocate(static_cast<size_t>(bytes));
    storage->data = static_cast<char*>(block.data);
    storage->capacity = block.capacity;
  } catch (const std::bad_alloc&) {
    recycle(storage);
    out_of_memory(bytes);
  }
  return storage;
}

Storage* Storage::borrow(void* data, int64_t bytes, PyObject* owner) {
  Storage* storage = blank();
  storage->bytes = bytes;
  storage->data = static_cast<char*>(data);
  storage->owner = Py_NewRef(owner);
  storage->resizable = false;
  return storage;
}

Storage* Storage::origin() {
  Storage* s = this;
  while (s->owner && is_tensor(s->owner)) s = reinterpret_cast<TensorObject*>(s->owner)->storage;
  return s;
}

// A tensor may show an array that shows a tensor, and so on: owners are let go one after another, not by recursion.
// Storages that wait for that are linked through `data`.
void Storage::destroy() {
  static Storage* dying = nullptr;
  static bool draining = false;
  if (shown && shown_storage_survives(this)) return;
  written.~SourceLine();
  if (!owner) {
    if (capacity) cpu::release({data, capacity});
    return recycle(this);
  }
  data = reinterpret_cast<char*>(dying);
  dying = this;
  if (draining) return;
  draining = true;
  while (Storage* s = dying) {
    dying = reinterpret_cast<Storage*>(s->data);
    Py_CLEAR(s->owner);
    recycle(s);
  }
  draining = false;
}

}  // namespace chainrule
