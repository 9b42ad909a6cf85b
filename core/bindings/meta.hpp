// Device "meta": tensors that have a shape and no elements; see Note [Meta tensors]. Calls that would make one, or that
// have one among their arguments, go to Python (python/chainrule/meta.py).
#pragma once
#include <Python.h>

#include "bindings/callable.hpp"

namespace chainrule {

// Whether tensors are made on "meta" unless a device is given: `with device("meta"):`. Per thread.
bool meta_is_default();
void set_meta_default(bool on);

// Whether an object is a tensor of that device.
inline bool is_meta(PyObject* o) {
  if (Storage::meta_alive == 0) [[likely]]
    return false;
  auto* t = reinterpret_cast<TensorObject*>(o);
  return is_tensor(o) && t->storage && t->storage->device == Device::Meta;
}

// Whether this call makes such a tensor. Functions that take a tensor stay with its device.
bool makes_meta(const Signature& s, const BoundArguments& bound);
// What Python's made(name, arguments) gives in place of the function; the arguments are a dict by name.
PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound);
// What Python's called(function, args, kwargs) gives in place of a function that has such an argument.
PyObject* call_meta(PyObject* function, PyObject* args, PyObject* kwargs);
// Calls the function where new tensors are of that device, and nobody asks any more whether arguments are.
PyObject* call_on_meta(PyObject* function, PyObject* args, PyObject* kwargs);
// A new one.
Tensor empty_meta(Span sizes, Span strides, DType dtype);

}  // namespace chainrule
