// The Python type UntypedStorage: the bytes behind tensors, shown to Python.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// The object that shows the tensor's storage, the same one for as long as somebody holds it; a new reference.
PyObject* storage_object(const Tensor& t);
// The storage that the object shows; null if it shows none. A borrowed reference.
Storage* storage_shown_by(PyObject* object);
void add_storage_type(PyObject* module);

}  // namespace chainrule
