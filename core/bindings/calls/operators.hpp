// Python's operators on tensors.
#pragma once
#include <Python.h>

namespace chainrule {

PyNumberMethods* tensor_number_methods();
PyObject* tensor_compare(PyObject* a, PyObject* b, int op);

}  // namespace chainrule
