// Device "meta": tensors that have a shape and no elements. The core knows none; calls that would make one go to Python
// (python/chainrule/meta.py), whose class stands for them.
#pragma once
#include <Python.h>

#include "bindings/callable.hpp"

namespace chainrule {

// Whether tensors are made on "meta" unless a device is given: `with device("meta"):`. Per thread.
bool meta_is_default();
void set_meta_default(bool on);

// The class that stands for them, once it is there; and whether an object is of it.
void set_meta_type(PyObject* type);
bool is_meta(PyObject* tensor);

// Whether this call makes such a tensor. Functions that take a tensor stay with its device.
bool makes_meta(const Signature& s, const BoundArguments& bound);
// What Python's made(name, arguments) gives in place of the function; the arguments are a dict by name.
PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound);

}  // namespace chainrule
