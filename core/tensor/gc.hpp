// Python's cyclic garbage collector, seen close enough to track an object in a few instructions.
#pragma once
#include <Python.h>

#include <cstdint>

namespace chainrule::gc {
// The public functions cost some 4 ns an object, paid twice per node. Up to Python 3.13 tracking means linking the
// header in front of the object into a list; the list's head is found once, as the successor of an object just tracked.
#if PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED)

struct Header {
  uintptr_t next, previous;
};
inline Header* header(void* object) { return static_cast<Header*>(object) - 1; }
constexpr uintptr_t kFlags = 3;

inline Header* youngest = nullptr;  // the head of the list of new objects
inline void find_youngest() {
  PyObject* newest = PyList_New(0);  // tracked at the end of the list, so the head follows it
  youngest = reinterpret_cast<Header*>(header(newest)->next);
  Py_DECREF(newest);
}

inline bool is_tracked(void* object) { return header(object)->next != 0; }
inline void track(void* object) {
  Header* h = header(object);
  auto* last = reinterpret_cast<Header*>(youngest->previous);
  last->next = reinterpret_cast<uintptr_t>(h);
  h->previous = (h->previous & kFlags) | reinterpret_cast<uintptr_t>(last);
  h->next = reinterpret_cast<uintptr_t>(youngest);
  youngest->previous = reinterpret_cast<uintptr_t>(h);
}
inline void untrack(void* object) {
  Header* h = header(object);
  auto* previous = reinterpret_cast<Header*>(h->previous & ~kFlags);
  auto* next = reinterpret_cast<Header*>(h->next & ~kFlags);
  previous->next = reinterpret_cast<uintptr_t>(next) | (previous->next & 1);
  next->previous = reinterpret_cast<uintptr_t>(previous) | (next->previous & kFlags);
  h->next = 0;
  h->previous &= 1;
}

#else

inline void find_youngest() {}
inline bool is_tracked(void* object) { return PyObject_GC_IsTracked(static_cast<PyObject*>(object)); }
inline void track(void* object) { PyObject_GC_Track(object); }
inline void untrack(void* object) { PyObject_GC_UnTrack(object); }

#endif

}  // namespace chainrule::gc
