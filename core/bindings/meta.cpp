#include "bindings/meta.hpp"

#include "bindings/conversions.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {
thread_local bool by_default = false;

Owned python_module() { return Owned(checked(PyImport_ImportModule("chainrule.meta"))); }
}  // namespace

bool meta_is_default() { return by_default; }
void set_meta_default(bool on) { by_default = on; }

bool makes_meta(const Signature& s, const BoundArguments& bound) {
  PyObject* device = bound[s.device];
  if (device != Py_None) return is_meta_device(device);
  return by_default && s.parameters[0].kind != Kind::Tensor && s.name != "normal";  // which PyTorch leaves out too
}

PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound) {
  Owned arguments(checked(PyDict_New()));
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    checked(PyDict_SetItemString(arguments.get(), s.parameters[i].name.c_str(), bound[static_cast<int>(i)]));
  }
  return handed_on(PyObject_CallMethod(python_module().get(), "made", "sO", c.name.c_str(), arguments.get()));
}

PyObject* call_meta(PyObject* function, PyObject* args, PyObject* kwargs) {
  return handed_on(PyObject_CallMethod(python_module().get(), "called", "OOO", function, args, kwargs));
}

PyObject* call_on_meta(PyObject* function, PyObject* args, PyObject* kwargs) {
  DeviceScope there(Device::Meta);
  return handed_on(PyObject_Call(function, args, kwargs));
}

Tensor empty_meta(Span sizes, Span strides, DType dtype) {
  DeviceScope there(Device::Meta);
  return empty_strided(sizes, strides, dtype);
}

}  // namespace chainrule
