// The one place that knows how each Python version lays out its interpreter frames.
#pragma once
#include <Python.h>

#include <cstdint>

namespace chainrule::frame {

// A version that is not known here and a free-threaded build take Python's public functions, which make a frame object
// at every call. So does a known version where agrees_with_python() finds its frames laid out otherwise than written
// here, as they may be in an interpreter that somebody changed.
#if defined(Py_GIL_DISABLED) || PY_VERSION_HEX >= 0x030F0000
constexpr bool kKnown = false;
#else
constexpr bool kKnown = true;
#endif

using CodeUnit = uint16_t;  // an instruction and its argument, one byte each

// The leading fields of CPython's own struct, as far as we read them.
struct Frame {
#if PY_VERSION_HEX < 0x030C0000  // 3.11
  PyObject *function, *globals, *builtins, *locals;
  uintptr_t code_bits;
  PyObject* frame_object;
  Frame* previous;
  CodeUnit* instruction;
  int stack_top;
  bool is_entry;
  char owner;
#else  // 3.12 to 3.14
  uintptr_t code_bits;  // the lowest two are marks of the interpreter's, from 3.14 on
  Frame* previous;
  PyObject *function, *globals, *builtins, *locals;
  PyObject* frame_object;
  CodeUnit* instruction;
#if PY_VERSION_HEX < 0x030E0000
  int stack_top;
#else
  void* stack_top;
#endif
  uint16_t return_offset;
  char owner;
#endif
};
constexpr char kFirstOwnerInC = 3;  // frames of the interpreter's own, which run no function

inline Frame* current() {
#if PY_VERSION_HEX >= 0x030D0000
  return reinterpret_cast<Frame*>(PyThreadState_GET()->current_frame);
#else
  return reinterpret_cast<Frame*>(PyThreadState_GET()->cframe->current_frame);
#endif
}
inline PyCodeObject* code(const Frame* f) { return reinterpret_cast<PyCodeObject*>(f->code_bits & ~uintptr_t(3)); }
inline int offset(const Frame* f) {
  auto* first = reinterpret_cast<CodeUnit*>(code(f)->co_code_adaptive);
  return static_cast<int>((f->instruction - first) * static_cast<int>(sizeof(CodeUnit)));
}
inline bool is_python(const Frame* f) { return f->owner < kFirstOwnerInC; }

// Whether the running frame and its caller, read directly, are those that Python's own functions tell.
bool agrees_with_python();

}  // namespace chainrule::frame
