// chainrule.device: a name for a place. Any of PyTorch's can be named; only the CPU can be worked on.
#pragma once
#include <Python.h>

namespace chainrule { void add_device(PyObject* module); }  // namespace chainrule
