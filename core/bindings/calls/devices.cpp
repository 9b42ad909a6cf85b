#include "bindings/calls/devices.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bindings/calls/conversions.hpp"
#include "bindings/types/sparse_type.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {
thread_local Device by_default;

Owned python_module() { return Owned(checked(PyImport_ImportModule("chainrule.meta"))); }

// Calls f with the tensors among the arguments, also those in lists.
template <class F>
void each_tensor(PyObject* args, PyObject* kwargs, F f) {
  auto look = [&](PyObject* o) {
    if (is_tensor(o)) f(reinterpret_cast<TensorObject*>(o));
    if (!PyList_Check(o) && !PyTuple_Check(o)) return;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      if (PyObject* entry = PySequence_Fast_GET_ITEM(o, i); is_tensor(entry)) f(reinterpret_cast<TensorObject*>(entry));
    }
  };
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) look(PyTuple_GET_ITEM(args, i));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) look(value);
}

// Indices may be on the CPU, or have to be, and a tensor is filled from anywhere.
bool mixes_devices(std::string_view name) {
  constexpr std::array<std::string_view, 7> names = {"__getitem__", "__setitem__", "index_put_",  "copy_",
                                                     "to",          "cpu",         "tensor_split"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_same_device(Device device, PyObject* args, PyObject* kwargs) {
  each_tensor(args, kwargs, [&](const TensorObject* t) {
    const Device other = t->storage ? t->storage->device : Device::CPU;
    if (other == device || (other == Device::CPU && t->ndim == 0)) return;
    raise(PyExc_RuntimeError, "Expected all tensors to be on the same device, but found at least two devices, ",
          device.name(), " and ", other.name(), "!");
  });
}
}  // namespace

Device default_device() { return by_default; }
void set_default_device(Device device) { by_default = device; }

Device asked_device(const Signature& s, const BoundArguments& bound) {
  PyObject* device = bound[s.device];
  if (device != Py_None) return device_value(device);
  const bool asks = s.parameters[0].kind != Kind::Tensor && s.name != "normal";  // which PyTorch leaves out too
  return asks && by_default != Device::CPU ? by_default : Storage::making.device;
}

Owned arguments_by_name(const Signature& s, const BoundArguments& bound) {
  Owned arguments(checked(PyDict_New()));
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    checked(PyDict_SetItemString(arguments.get(), s.parameters[i].name.c_str(), bound[static_cast<int>(i)]));
  }
  return arguments;
}

PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound) {
  Owned arguments = arguments_by_name(s, bound);
  return handed_on(PyObject_CallMethod(python_module().get(), "made", "sO", c.name.c_str(), arguments.get()));
}

PyObject* call_elsewhere(PyObject* function, PyObject* args, PyObject* kwargs) {
  Device device = Device::CPU;
  bool sparse = false;
  each_tensor(args, kwargs, [&](const TensorObject* t) {
    sparse |= is_sparse(t);
    if (device == Device::CPU && t->storage) device = t->storage->device;
  });
  if (sparse) return call_on_sparse(function, args, kwargs);
  if (device == Device::Meta)
    return handed_on(PyObject_CallMethod(python_module().get(), "called", "OOO", function, args, kwargs));
  Owned name(from_python(PyObject_GetAttrString(function, "__name__")));
  const char* text = checked(PyUnicode_AsUTF8(name.get()));
  if (!mixes_devices(text)) check_same_device(device, args, kwargs);
  CallScope call(text);
  return call_on(device, function, args, kwargs);
}

PyObject* call_on(Device device, PyObject* function, PyObject* args, PyObject* kwargs) {
  DeviceScope there(device);
  return handed_on(PyObject_Call(function, args, kwargs));
}

Tensor empty_meta(Span sizes, Span strides, DType dtype) {
  DeviceScope there(Device::Meta);
  return empty_strided(sizes, strides, dtype);
}

}  // namespace chainrule
