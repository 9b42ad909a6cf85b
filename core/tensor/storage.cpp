// Storages come from a free list; their bytes are inline when few, else from the device's allocator.
#include "tensor/storage.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "backends/cpu/allocator.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/guarded/memory.hpp"
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

void count_elsewhere(int change) {
  storages_elsewhere += change;
  onlookers += change;
}

Storage* blank() {
  void* memory = free_storages ? std::exchange(free_storages, free_storages->next) : std::malloc(sizeof(Storage));
  if (!memory) throw std::bad_alloc();
  auto* storage = static_cast<Storage*>(memory);
  static_cast<StorageKind&>(*storage) = Storage::making;
  storage->references = 1;
  storage->version = 0;
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
  count_elsewhere(1);
  if (bytes <= static_cast<int64_t>(Storage::kInlineBytes)) {
    std::memset(storage->small, 0, Storage::kInlineBytes);
    return;
  }
  void* zeros = bytes < kReserveFrom ? std::calloc(1, static_cast<size_t>(bytes))
                                     : mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros && zeros != MAP_FAILED) {
    storage->data = static_cast<char*>(zeros);
    return;
  }
  count_elsewhere(-1);
  recycle(storage);
  out_of_memory(bytes);
}

// Those few bytes that the CPU keeps inline have a block elsewhere too.
void take_guarded(Storage* storage) {
  try {
    storage->data = static_cast<char*>(guarded_device::allocate(static_cast<size_t>(storage->bytes)));
  } catch (const std::bad_alloc&) {
    const int64_t bytes = storage->bytes;
    recycle(storage);
    out_of_memory(bytes);
  }
  count_elsewhere(1);
}

void take_on_gpu(Storage* storage) {
  try {
    storage->data = static_cast<char*>(cuda::allocate(static_cast<size_t>(storage->bytes), storage->device.index));
  } catch (...) {
    recycle(storage);
    throw;
  }
  count_elsewhere(1);
}

Storage* take_elsewhere(Storage* storage) {
  if (recorder) {
    if (storage->device == Device::CPU) {
      take_recorded(storage);
      return storage;
    }
    cannot_replay("makes a tensor on " + storage->device.name());
    storage->recorded = false;
  }
  if (storage->device.kind == DeviceKind::Cuda)
    take_on_gpu(storage);
  else if (storage->device.kind == DeviceKind::Guarded)
    take_guarded(storage);
  else
    reserve_zeros(storage, storage->bytes);
  return storage;
}

void release_elsewhere(Storage* storage) {
  count_elsewhere(-1);
  if (storage->device.kind == DeviceKind::Cuda) {
    if (!storage->owner) cuda::release(storage->data, storage->device.index);
    return;
  }
  if (storage->device.kind == DeviceKind::Guarded) {
    if (!storage->owner) guarded_device::release(storage->data, static_cast<size_t>(storage->bytes));
    return;
  }
  if (storage->owner || storage->data == storage->small) return;
  if (storage->bytes < kReserveFrom)
    std::free(storage->data);
  else
    munmap(storage->data, static_cast<size_t>(storage->bytes));
}

}  // namespace

const char* kind_name(DeviceKind kind) {
  constexpr const char* names[] = {"cpu", "meta", "guarded", "cuda"};
  return names[static_cast<int>(kind)];
}
std::string Device::name() const {
  const bool is_numbered = kind >= DeviceKind::Guarded;
  return is_numbered ? std::string(kind_name(kind)) + ":" + std::to_string(index) : kind_name(kind);
}

thread_local StorageKind Storage::making;
int64_t storages_elsewhere = 0;
bool works_on_meta() { return Storage::making.device == Device::Meta; }
uint32_t Storage::transforms = 0;
thread_local uint32_t Storage::transform = 0;

Storage* Storage::make(int64_t bytes) {
  Storage* storage = blank();
  storage->bytes = bytes;
  storage->data = storage->small;
  if (storage->device != Device::CPU || storage->recorded) [[unlikely]]
    return take_elsewhere(storage);
  if (bytes <= static_cast<int64_t>(kInlineBytes)) return storage;
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
  if (storage->device != Device::CPU) count_elsewhere(1);
  storage->recorded = false;
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

void Storage::destroy() {
  if (shown || owner || device != Device::CPU) return destroy_special();
  written.~SourceLine();
  if (capacity) cpu::release({data, capacity});
  recycle(this);
}

// A tensor may show an array that shows a tensor, and so on: owners are let go one after another, not by recursion.
// Storages that wait for that are linked through `data`.
void Storage::destroy_special() {
  static Storage* dying = nullptr;
  static bool draining = false;
  if (shown && shown_storage_survives(this)) return;
  if (device != Device::CPU) release_elsewhere(this);
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
