#include "tensor/sparse.hpp"

#include <algorithm>
#include <cstring>

#include "tensor/onlookers.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

Owned python_module(bool dispatching = false) {
  return Owned(checked(PyImport_ImportModule(dispatching ? "chainrule.wrapped.engine" : "chainrule.sparse.engine")));
}

Tensor stolen(PyObject* result) { return Tensor::steal(reinterpret_cast<TensorObject*>(result)); }

}  // namespace

int64_t sparse_tensors = 0;
bool classes_dispatch = false;

bool has_dispatch(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__torch_dispatch__");
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && _PyType_Lookup(type, name);
}

bool has_dispatch(const TensorObject* t) {
  auto* type = t ? Py_TYPE(reinterpret_cast<const PyObject*>(t)) : &TensorType;
  return type != &TensorType && has_dispatch(type);
}
bool has_parts_or_dispatch(const TensorObject* t) { return t && (sparse_parts(t) || dispatches(t)); }

bool holds_sparse(PyObject* o) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return is_sparse(o);
  PyObject** entries = PySequence_Fast_ITEMS(o);
  return std::any_of(entries, entries + PySequence_Fast_GET_SIZE(o), [](PyObject* entry) { return is_sparse(entry); });
}

Tensor sparse_tensor(PyObject* parts, Span sizes, DType dtype) {
  Storage* storage = Storage::borrow(nullptr, static_cast<int64_t>(size_of(dtype)), parts);
  storage->data = storage->small;
  std::memset(storage->small, is_floating(dtype) ? 0xff : 0, Storage::kInlineBytes);  // NaN, should anybody look
  Dims strides(static_cast<int>(sizes.size()));
  std::fill(strides.begin(), strides.end(), 0);
  try {
    Tensor result = tensor_over(storage, sizes, strides, 0, dtype);
    storage->release();
    return result;
  } catch (...) {
    storage->release();
    throw;
  }
}

Tensor call_sparse(const char* function, const Tensor& a, const Tensor& b) {
  Owned module = python_module(dispatches(a) || dispatches(b));
  if (!b) return stolen(from_python(PyObject_CallMethod(module.get(), function, "O", a.py())));
  return stolen(from_python(PyObject_CallMethod(module.get(), function, "OO", a.py(), b.py())));
}

Tensor sparse_coo(const Tensor& indices, const Tensor& values, Span sizes) {
  Owned module = python_module(), shape(checked(PyTuple_New(static_cast<Py_ssize_t>(sizes.size()))));
  for (size_t i = 0; i < sizes.size(); ++i)
    PyTuple_SET_ITEM(shape.get(), static_cast<Py_ssize_t>(i), checked(PyLong_FromLongLong(sizes[i])));
  return stolen(from_python(PyObject_CallMethod(module.get(), "coo", "OOO", indices.py(), values.py(), shape.get())));
}

}  // namespace chainrule
