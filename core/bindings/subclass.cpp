// Subclasses of Tensor: results of operations on them keep their class.
#include "bindings/subclass.hpp"

#include "autograd/record.hpp"

namespace chainrule {
namespace {

PyTypeObject* parameter_type = nullptr;

PyTypeObject* lasting_subclass(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (type == &TensorType || !PyType_IsSubtype(type, &TensorType)) return nullptr;
  return parameter_type && PyType_IsSubtype(type, parameter_type) ? nullptr : type;
}

// The same value, layout and history as an instance of `type`.
PyObject* recast(PyTypeObject* type, PyObject* plain) {
  Tensor from = Tensor::borrow(plain), to = alias_as(type, from);
  to->output_number = from->output_number;
  to->flags |= from->flags & (kRequiresGrad | kViewNoGrad | kViewOfMany);
  to->view_epoch = from->view_epoch;
  to->base = reinterpret_cast<TensorObject*>(Py_XNewRef((PyObject*)from->base));
  to->node = reinterpret_cast<Node*>(Py_XNewRef((PyObject*)from->node));
  Py_DECREF(plain);
  return to.release_py();
}

}  // namespace

void set_parameter_type(PyTypeObject* type) { parameter_type = type; }

PyTypeObject* subclass_of(PyObject* const* args, Py_ssize_t n) {
  PyTypeObject* found = nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (Py_TYPE(args[i]) == &TensorType) continue;
    PyTypeObject* type = lasting_subclass(args[i]);
    // cat([x, y]): the tensors of a list count as well.
    if (PyList_Check(args[i])) type = subclass_of(PySequence_Fast_ITEMS(args[i]), PyList_GET_SIZE(args[i]));
    if (PyTuple_Check(args[i])) type = subclass_of(PySequence_Fast_ITEMS(args[i]), PyTuple_GET_SIZE(args[i]));
    if (type && (!found || PyType_IsSubtype(type, found))) found = type;
  }
  return found;
}

PyObject* as_subclass(PyTypeObject* type, PyObject* result) {
  if (Py_TYPE(result) == &TensorType) return recast(type, result);
  if (PyTuple_Check(result) && Py_REFCNT(result) == 1) {  // plain or with named fields
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
      PyTuple_SET_ITEM(result, i, as_subclass(type, PyTuple_GET_ITEM(result, i)));
    }
  }
  return result;
}

}  // namespace chainrule
