// The one place that knows how each Python version lays out its interpreter frames.
#pragma once
#include <Python.h>

#include <cstdint>

namespace chainrule::frame {

#if PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED)
#define CHAINRULE_FAST_FRAMES 1

using CodeUnit = uint16_t;  // an instruction and its argument, one byte each

// The leading fields of CPython's own struct, as far as we read them.
struct Frame {
#if PY_VERSION_HEX < 0x030C0000  // 3.11
  PyObject *function, *globals, *builtins, *locals;
  PyCodeObject* code_object;
  PyObject* frame_object;
  Frame* previous;
  CodeUnit* instruction;
  int stack_top;
  bool is_entry;
  char owner;
#else  // 3.12 and 3.13
  PyObject* code_object;
  Frame* previous;
  PyObject *function, *globals, *builtins, *locals;
  PyObject* frame_object;
  CodeUnit* instruction;
  int stack_top;
  uint16_t return_offset;
  char owner;
#endif
};
constexpr char kOwnedByCStack = 3;

inline Frame* current() {
  PyThreadState* state = PyThreadState_GET();
#if PY_VERSION_HEX >= 0x030D0000
  return reinterpret_cast<Frame*>(state->current_frame);
#else
  return reinterpret_cast<Frame*>(state->cframe->current_frame);
#endif
}
inline PyCodeObject* code(Frame* f) { return reinterpret_cast<PyCodeObject*>(f->code_object); }
inline int offset(Frame* f) {
  auto* first = reinterpret_cast<CodeUnit*>(code(f)->co_code_adaptive);
  return static_cast<int>((f->instruction - first) * static_cast<int>(sizeof(CodeUnit)));
}
inline bool is_python(Frame* f) { return f->owner != kOwnedByCStack; }
#endif

}  // namespace chainrule::frame
