// The Python type SparseParts, and how Python makes sparse tensors of its instances. See Note [Sparse tensors].
#include "bindings/types/sparse_type.hpp"

#include "autograd/inplace.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/errors.hpp"
#include "tensor/onlookers.hpp"
#include "tensor/owned.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {

PyTypeObject SparsePartsType = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

constexpr const char *kOfSparse = "chainrule.sparse.dispatch", *kOfClasses = "chainrule.wrapped.dispatch";

void count_parts(int change) {
  sparse_tensors += change;
  onlookers += change;
}

PyObject* make_parts(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* parts = type->tp_alloc(type, 0);
  if (parts) count_parts(1);
  return parts;
}

void free_parts(PyObject* self) {
  count_parts(-1);
  Py_TYPE(self)->tp_free(self);
}

PyObject* tensor_of_parts(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *parts, *sizes, *dtype;
    if (!PyArg_ParseTuple(args, "O!OO", &SparsePartsType, &parts, &sizes, &dtype)) throw PythonError();
    return to_python(sparse_tensor(parts, to_dims(sizes), to_dtype_value(dtype)));
  });
}

PyObject* parts_of_tensor(PyObject*, PyObject* o) {
  PyObject* parts = is_tensor(o) ? sparse_parts(reinterpret_cast<TensorObject*>(o)) : nullptr;
  return Py_NewRef(parts ? parts : Py_None);
}

// An operation in place: `self` becomes what `result` is, with its history. What saved `self` keeps its former parts.
void become(const Tensor& self, const Tensor& result) {
  const bool recorded = grad_enabled() && requires_grad(result);
  check_inplace(self, recorded);
  const uint32_t version = self->storage->version;
  replace_data(self.get(), result);
  self->storage->version = version;
  mark_written(self);
  if (!recorded || !result->node) return;
  auto* former = std::exchange(self->node, result->node);
  Py_INCREF(reinterpret_cast<PyObject*>(self->node));
  Py_XDECREF(reinterpret_cast<PyObject*>(former));
  self->output_number = result->output_number;
  self->flags &= ~kRequiresGrad;
  track(self.get());
}

PyObject* become_result(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *self, *result;
    if (!PyArg_ParseTuple(args, "O!O!", &TensorType, &self, &TensorType, &result)) throw PythonError();
    become(Tensor::borrow(self), Tensor::borrow(result));
    return Py_NewRef(self);
  });
}

PyObject* any_sparse(PyObject*, PyObject*) { return PyBool_FromLong(sparse_tensors > 0); }

PyMethodDef functions[] = {
    {"any_sparse", any_sparse, METH_NOARGS, "Whether a sparse tensor is alive."},
    {"sparse_tensor", tensor_of_parts, METH_VARARGS, "sparse_tensor(parts, size, dtype): a tensor with these parts."},
    {"sparse_parts", parts_of_tensor, METH_O, "The SparseParts of a tensor; None for a dense one."},
    {"become", become_result, METH_VARARGS, "become(tensor, result): the end of an operation in place."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* call_in_python(bool dispatching, PyObject* function, PyObject* args, PyObject* kwargs) {
  Owned module(checked(PyImport_ImportModule(dispatching ? kOfClasses : kOfSparse)));
  return handed_on(PyObject_CallMethod(module.get(), "called", "OOO", function, args, kwargs));
}

PyObject* property_of_sparse(const char* name, PyObject* self) {
  return guarded_unsettled([&] {
    const bool dispatching = dispatches(reinterpret_cast<TensorObject*>(self));
    Owned module(checked(PyImport_ImportModule(dispatching ? kOfClasses : kOfSparse)));
    return handed_on(PyObject_CallMethod(module.get(), "attribute", "sO", name, self));
  });
}

PyObject* make_sparse(const std::string& name, PyObject* arguments) {
  Owned module(checked(PyImport_ImportModule(kOfSparse))), given(arguments);
  return handed_on(PyObject_CallMethod(module.get(), "made", "sO", name.c_str(), given.get()));
}

void add_sparse_type(PyObject* module) {
  PyTypeObject& t = SparsePartsType;
  t.tp_name = "chainrule._core.SparseParts";
  t.tp_doc = "What a sparse tensor is made of; chainrule.sparse.parts derives the classes.";
  t.tp_basicsize = sizeof(PyObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  t.tp_new = make_parts;
  t.tp_dealloc = free_parts;
  checked(PyType_Ready(&t));
  checked(PyModule_AddObjectRef(module, "SparseParts", reinterpret_cast<PyObject*>(&t)));
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace chainrule
