#include "bindings/calls/devices.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bindings/calls/conversions.hpp"
#include "bindings/types/sparse_type.hpp"
#include "ops/views/move.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
thread_local bool mixing_devices = false;

namespace {
thread_local Device by_default __attribute__((tls_model("initial-exec")));

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

// Indices have to be on the CPU, and a tensor is filled from anywhere.
bool mixes_devices(std::string_view name) {
  constexpr std::array<std::string_view, 5> names = {"copy_", "to", "cpu", "tensor_split", "new_tensor"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_indexing(std::string_view name) {
  constexpr std::array<std::string_view, 4> names = {"__getitem__", "__setitem__", "index_put_", "index_put"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// x[indices], x[indices] = value: the work is done where x is. Indices may be on the CPU, and so may the value, which
// is moved there where it is not one number.
PyObject* call_indexing(PyObject* function, PyObject* args, PyObject* kwargs) {
  const Device home = device_of_argument(PyTuple_GET_ITEM(args, 0));
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  const Owned key(n > 1 ? checked(PyTuple_Pack(1, PyTuple_GET_ITEM(args, 1))) : checked(PyTuple_New(0)));
  const Owned none(checked(PyDict_New()));
  each_tensor(n > 1 && PyTuple_Check(PyTuple_GET_ITEM(args, 1)) ? PyTuple_GET_ITEM(args, 1) : key.get(), none.get(),
              [&](const TensorObject* t) {
                const Device at = t->storage->device;
                if (at == home || at == Device::CPU) return;
                raise(PyExc_RuntimeError, "indices should be either on ", home.name(),
                      " or on the same device as the indexed tensor (", home.name(), ")");
              });
  Owned moved(checked(PyTuple_GetSlice(args, 0, n)));
  if (n > 2 && device_of_argument(PyTuple_GET_ITEM(args, 2)) != home && is_tensor(PyTuple_GET_ITEM(args, 2))) {
    moved = Owned(checked(PyTuple_New(n)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const o = PyTuple_GET_ITEM(args, i);
      PyTuple_SET_ITEM(moved.get(), i, i == 2 ? to_python(move_to(Tensor::borrow(o), home)) : Py_NewRef(o));
    }
  }
  return call_on(home, function, moved.get(), kwargs);
}

// What a call writes into: the tensor of x.add_(y), and out=.
const TensorObject* written_by(std::string_view name, PyObject* args, PyObject* kwargs) {
  PyObject* target = PyDict_GetItemString(kwargs, "out");
  if (!target && name.ends_with('_') && !name.ends_with("__") && PyTuple_GET_SIZE(args) > 0)
    target = PyTuple_GET_ITEM(args, 0);
  return target && is_tensor(target) ? reinterpret_cast<TensorObject*>(target) : nullptr;
}

// A number on the CPU may stand beside tensors of a GPU, but the GPU cannot write into it.
void check_same_device(Device device, std::string_view name, PyObject* args, PyObject* kwargs) {
  const TensorObject* written = written_by(name, args, kwargs);
  each_tensor(args, kwargs, [&](const TensorObject* t) {
    const Device other = t->storage ? t->storage->device : Device::CPU;
    if (other == device || (other == Device::CPU && t->ndim == 0 && t != written)) return;
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
  bool sparse = false, dispatching = false;
  each_tensor(args, kwargs, [&](const TensorObject* t) {
    sparse |= is_sparse(t);
    dispatching |= dispatches(t);
    if (device == Device::CPU && t->storage) device = t->storage->device;
  });
  if (sparse || dispatching) return call_in_python(dispatching, function, args, kwargs);
  if (device == Device::Meta)
    return handed_on(PyObject_CallMethod(python_module().get(), "called", "OOO", function, args, kwargs));
  Owned name(from_python(PyObject_GetAttrString(function, "__name__")));
  const char* text = checked(PyUnicode_AsUTF8(name.get()));
  CallScope call(text);
  if (is_indexing(text) && PyTuple_GET_SIZE(args) > 0) return call_indexing(function, args, kwargs);
  if (mixes_devices(text)) {
    struct MixingScope {
      bool before = std::exchange(mixing_devices, true);
      ~MixingScope() { mixing_devices = before; }
    } mixing;
    return call_on(device, function, args, kwargs);
  }
  check_same_device(device, text, args, kwargs);
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
