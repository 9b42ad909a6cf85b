// x[...] and x[...] = y.
#pragma once
#include <Python.h>

namespace chainrule {

Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_subscript(PyObject* self, PyObject* key);
int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value);
int tensor_contains(PyObject* self, PyObject* value);

}  // namespace chainrule
