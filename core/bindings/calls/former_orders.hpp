// Orders of arguments that PyTorch had once and still takes, with a warning: add(input, alpha, other).
#pragma once
#include "bindings/calls/callable.hpp"

namespace chainrule {

// What a call in a former order gives, a new reference; null if the arguments are in none. Raises.
PyObject* call_former(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
// Finds the functions and methods that had one.
void mark_former_orders();

}  // namespace chainrule
