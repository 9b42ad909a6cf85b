// Storages come from a free list; their bytes are inline when few, else from the device's allocator.
#include "tensor/storage.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "backends/cpu/allocator.hpp"
#include "tensor/error.hpp"
#include "tensor/onlookers.hpp"
#include "tensor/shown_storage.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {
namespace {

struct FreeStorage {
  FreeStorage* next;
};
FreeStorage* free_storages = nullptr;

void count_meta(int change) {
  Storage::meta_alive += change;
  onlookers += change;
}

Storage* blank() {
  void* memory = free_storages ? std::exchange(free_storages, free_storages->next) : std::malloc(sizeof(Storage));
  if (!memory) throw std::bad_alloc();
  auto* storage = static_cast<Storage*>(memory);
  storage->references = 1;
  storage->version = 0;
  storage->device = Storage::making_on;
  if (storage->device == Device::Meta) [[unlikely]]
    count_meta(1);
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

// Zeros that cost nothing as long as nobody writes them; few bytes are simply there.
constexpr int64_t kReserveFrom = 1 << 16;

void reserve_zeros(Storage* storage, int64_t bytes) {
  void* zeros = bytes < kReserveFrom ? std::calloc(1, static_cast<size_t>(bytes))
                                     : mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros && zeros != MAP_FAILED) {
    storage->data = static_cast<char*>(zeros);
    return;
  }
  count_meta(-1);
  recycle(storage);
  out_of_memory(bytes);
}

void forget_meta(Storage* storage) {
  count_meta(-1);
  if (storage->owner || storage->data == storage->small) return;
  if (storage->bytes < kReserveFrom)
    std::free(storage->data);
  else
    munmap(storage->data, static_cast<size_t>(storage->bytes));
}

}  // namespace

thread_local bool Storage::making_inference = false;
thread_local Device Storage::making_on = Device::CPU;
int64_t Storage::meta_alive = 0;
uint32_t Storage::transforms = 0;
thread_local uint32_t Storage::transform = 0;

Storage* Storage::make(int64_t bytes) {
  Storage* storage = blank();
  storage->bytes = bytes;
  if (bytes <= static_cast<int64_t>(kInlineBytes)) {
    storage->data = storage->small;
    if (storage->device == Device::Meta) [[unlikely]]
      std::memset(storage->small, 0, kInlineBytes);
    return storage;
  }
  if (storage->device == Device::Meta) [[unlikely]] {
    reserve_zeros(storage, bytes);
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
  if (device == Device::Meta) [[unlikely]]
    forget_meta(this);
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
