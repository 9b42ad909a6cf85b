// The Python type SparseParts, and where calls with sparse tensors go. See Note [Sparse tensors].
#pragma once
#include <Python.h>

#include <string>

namespace chainrule {

// What Python's rule for the function gives; `dispatching`: of a class with a __torch_dispatch__.
PyObject* call_in_python(bool dispatching, PyObject* function, PyObject* args, PyObject* kwargs);
// A property of a tensor that Python keeps: "T", "data".
PyObject* property_of_sparse(const char* name, PyObject* self);
// What a function gives that is to make a sparse tensor: zeros(2, 3, layout=torch.sparse_coo). Takes `arguments` over.
PyObject* make_sparse(const std::string& name, PyObject* arguments);
void add_sparse_type(PyObject* module);

}  // namespace chainrule
