// Sharing memory with other libraries through Python's buffer protocol.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags);
void tensor_release_buffer(PyObject* self, Py_buffer* view);

// Whether it is a NumPy array; NumPy need not be there.
bool is_array(PyObject* o);
// A tensor over the memory of an object with a buffer (a NumPy array, say); raises for formats we do not hold.
// `warns`: that a read-only array will be shared, since nothing stops a tensor from being written.
Tensor from_buffer(PyObject* object, bool warns = false);
// frombuffer(): `count` elements (-1: all) of plain bytes.
Tensor from_bytes(PyObject* buffer, DType dtype, int64_t count, int64_t offset);

}  // namespace chainrule
