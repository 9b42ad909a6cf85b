// Turning the core's exceptions into Python's at the boundary.
#pragma once
#include <Python.h>

namespace chainrule {

// Inside a catch block: sets the Python error for the exception in flight. Errors of the core get the user's line.
void set_python_error();

// Runs f and returns what it returns, or `failed` with a Python error set.
template <class F, class R>
inline R guarded(F&& f, R failed) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
template <class F>
inline PyObject* guarded(F&& f) {
  return guarded(f, static_cast<PyObject*>(nullptr));
}

}  // namespace chainrule
