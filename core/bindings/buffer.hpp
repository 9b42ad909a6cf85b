// Sharing memory with other libraries through Python's buffer protocol.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags);
void tensor_release_buffer(PyObject* self, Py_buffer* view);
// A tensor over the memory of an object with a buffer (a NumPy array, say); raises for formats we do not hold.
Tensor from_buffer(PyObject* object);

}  // namespace chainrule
