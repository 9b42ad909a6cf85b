// Fixed-size blocks for Python objects that take part in garbage collection but do not set collections off.
//
// PyObject_GC_New counts allocations and starts a collection every 700; a graph of a million nodes would be traversed
// again and again while it is built. These blocks carry the collector's header, so objects in them can be tracked, but
// they come from our own free list.
#pragma once
#include <Python.h>

#include <cstdlib>
#include <cstring>
#include <new>

#ifdef Py_GIL_DISABLED
#error "chainrule counts references without locks: it needs a Python build with the GIL"
#endif

namespace chainrule {

template <class Object>
class Slab {
 public:
  // Reference count 1, not tracked; the object's own fields are undefined.
  static Object* allocate(PyTypeObject* type) {
    if (!free_) [[unlikely]]
      grow();
    Block* block = free_;
    free_ = block->next;
    auto* object = reinterpret_cast<Object*>(reinterpret_cast<char*>(block) + kHeader);
    std::memset(block, 0, 16);
    reinterpret_cast<PyObject*>(object)->ob_refcnt = 1;
    reinterpret_cast<PyObject*>(object)->ob_type = type;
    return object;
  }
  static void release(Object* object) {
    auto* block = reinterpret_cast<Block*>(reinterpret_cast<char*>(object) - kHeader);
    if (kBlocks == 1) return std::free(block);
    block->next = free_;
    free_ = block;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr size_t kHeader = 2 * sizeof(uintptr_t);  // PyGC_Head
  static constexpr size_t kSize = (kHeader + sizeof(Object) + 15) / 16 * 16;
#ifdef __SANITIZE_ADDRESS__
  static constexpr size_t kBlocks = 1;  // and release() gives it back, so that the sanitizer sees every use after free
#else
  static constexpr size_t kBlocks = 256;
#endif
  static inline Block* free_ = nullptr;

  static void grow() {
    auto* memory = static_cast<char*>(std::aligned_alloc(16, kSize * kBlocks));
    if (!memory) throw std::bad_alloc();
    for (size_t i = kBlocks; i-- > 0;) {
      auto* block = reinterpret_cast<Block*>(memory + i * kSize);
      block->next = free_;
      free_ = block;
    }
  }
};

}  // namespace chainrule
