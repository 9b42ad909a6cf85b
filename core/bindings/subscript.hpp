// x[...] and x[...] = y.
#pragma once
#include <Python.h>

#include "tensor/tensor.hpp"

namespace chainrule {

Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_subscript(PyObject* self, PyObject* key);
int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value);
// The value of an assignment as a tensor of the target's dtype.
Tensor value_tensor(PyObject* value, DType dtype);
int tensor_contains(PyObject* self, PyObject* value);

}  // namespace chainrule
