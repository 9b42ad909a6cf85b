// Calls of functions whose tensors are not on the CPU, or are to be made elsewhere.
#pragma once
#include <Python.h>

#include "bindings/calls/callable.hpp"
#include "tensor/owned.hpp"

namespace chainrule {

// In a call whose tensors may be on several devices: where they are has been asked.
extern thread_local bool mixing_devices;

// Where tensors are made unless a device is given: `with device("meta"):`. Per thread.
Device default_device();
void set_default_device(Device device);

// Where a tensor's elements are; anything else is on the CPU.
inline Device device_of_argument(PyObject* o) {
  if (storages_elsewhere == 0) [[likely]]
    return Device::CPU;
  auto* t = reinterpret_cast<TensorObject*>(o);
  return is_tensor(o) && t->storage ? t->storage->device : Device::CPU;
}
inline bool is_meta(PyObject* o) { return device_of_argument(o) == Device::Meta; }

// Where a call shall make its tensors: its argument `device` says so, or the default. Functions that take a tensor stay
// with its device.
Device asked_device(const Signature& s, const BoundArguments& bound);

// What the function gives where some argument is elsewhere. For the device "meta" Python's meta.called() says that, for
// others the function itself, with that device as the place of new tensors. All tensors have to be there, but for those
// of the CPU that are one number.
PyObject* call_elsewhere(PyObject* function, PyObject* args, PyObject* kwargs);

// The arguments of a call as a dict, those that were left out with their defaults.
Owned arguments_by_name(const Signature& s, const BoundArguments& bound);
// What Python's meta.made(name, arguments) gives in place of a function that is to make a tensor of that device.
PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound);
// Calls the function where new tensors are of that device, and nobody asks any more whether arguments are.
PyObject* call_on(Device device, PyObject* function, PyObject* args, PyObject* kwargs);
// A new one.
Tensor empty_meta(Span sizes, Span strides, DType dtype);

}  // namespace chainrule
