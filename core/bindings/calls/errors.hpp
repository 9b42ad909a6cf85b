// Turning the core's exceptions into Python's at the boundary.
#pragma once
#include <Python.h>

#include <string>

#include "tensor/python_call.hpp"

namespace chainrule {

// Inside a catch block: sets the Python error for the exception in flight. Errors of the core get the user's line.
void set_python_error();
// The text of an error and, below it, the user's line.
std::string with_line(std::string text);
// Where a body written in Python has raised: its error gets the user's line too, if it has none.
void add_line_to_python_error();

// Runs f and returns what it returns, or `failed` with a Python error set. For calls that look at no tensor's content,
// or that know how to deal with pending ones.
template <class F, class R = PyObject*>
inline R guarded_unsettled(F&& f, R failed = {}) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
// The usual way into the core: first everything pending is calculated; see Note [Pending operations].
template <class F, class R = PyObject*>
inline R guarded(F&& f, R failed = {}) {
  return guarded_unsettled(
      [&] {
        settle();
        return f();
      },
      failed);
}

}  // namespace chainrule
