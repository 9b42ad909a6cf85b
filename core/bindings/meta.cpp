#include "bindings/meta.hpp"

#include "bindings/conversions.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {
thread_local bool by_default = false;
PyTypeObject* meta_type = nullptr;
}  // namespace

bool meta_is_default() { return by_default; }
void set_meta_default(bool on) { by_default = on; }

void set_meta_type(PyObject* type) { meta_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type)); }
bool is_meta(PyObject* tensor) { return meta_type && PyObject_TypeCheck(tensor, meta_type); }

bool makes_meta(const Signature& s, const BoundArguments& bound) {
  PyObject* device = bound[s.device];
  if (device != Py_None) return is_meta_device(device);
  return by_default && s.parameters[0].kind != Kind::Tensor;
}

PyObject* make_meta(const Callable& c, const Signature& s, const BoundArguments& bound) {
  Owned arguments(checked(PyDict_New()));
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    checked(PyDict_SetItemString(arguments.get(), s.parameters[i].name.c_str(), bound[static_cast<int>(i)]));
  }
  Owned module(checked(PyImport_ImportModule("chainrule.meta")));
  return handed_on(PyObject_CallMethod(module.get(), "made", "sO", c.name.c_str(), arguments.get()));
}

}  // namespace chainrule
