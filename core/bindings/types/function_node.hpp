// Nodes whose gradient is written in Python: the context and grad_fn of an autograd.Function.
#pragma once
#include <Python.h>

namespace chainrule { void add_function_node(PyObject* module); }  // namespace chainrule
