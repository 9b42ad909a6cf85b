// Subclasses of Tensor: results of operations on them keep their class.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// The class that results take, or null for plain tensors. Parameters give plain tensors.
PyTypeObject* subclass_of(PyObject* const* args, Py_ssize_t n);
// Takes over `result`; plain tensors in it (also inside a tuple) become instances of `type`.
PyObject* as_subclass(PyTypeObject* type, PyObject* result);
// Instances of this class and of classes derived from it give plain results.
void set_parameter_type(PyTypeObject* type);

}  // namespace chainrule
