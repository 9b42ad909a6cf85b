// Sparse tensors: tensors whose elements are kept by an object of Python's.
#pragma once
#include <Python.h>

#include "tensor/tensor.hpp"

namespace chainrule {

// Note [Sparse tensors]
// A sparse tensor has a shape, a dtype and a history as any other. Its storage is owned by a SparseParts, an object of
// Python's that has the indices and the values (chainrule/sparse/parts.py), so that aliases, saved tensors and
// parameters know it by themselves. All strides are 0 and the storage has one element, so whoever took it for a dense
// one would read that element and nothing out of bounds.
//
// Nobody does: a call with such an argument is handed to chainrule.sparse.dispatch, which has a rule for each
// operation, written in dense operations on the parts. Their gradients are those of the parts; two operations lead from
// the values to the sparse tensor and back. Doors look for sparse arguments only while a SparseParts is alive. The
// engine adds sparse gradients by Python's rules, and gives the core's own gradient functions dense ones.

extern int64_t sparse_tensors;        // how many SparseParts are alive
extern PyTypeObject SparsePartsType;  // filled in by the bindings

// The SparseParts, borrowed; null for a dense tensor.
inline PyObject* sparse_parts(const TensorObject* t) {
  if (sparse_tensors == 0) [[likely]]
    return nullptr;
  PyObject* owner = t->storage ? t->storage->owner : nullptr;
  return owner && PyType_IsSubtype(Py_TYPE(owner), &SparsePartsType) ? owner : nullptr;
}
inline bool is_sparse(const TensorObject* t) { return sparse_parts(t); }
inline bool is_sparse(const Tensor& t) { return t && sparse_parts(t.get()); }
inline bool is_sparse(PyObject* o) {
  return sparse_tensors > 0 && is_tensor(o) && sparse_parts(reinterpret_cast<TensorObject*>(o));
}
// Classes that dispatch.
// A subclass of Tensor with a method __torch_dispatch__ says itself what operations on its instances give; it is asked
// below autograd. Most have no elements (Tensor._make_wrapper_subclass): such an instance is kept by a SparseParts, as
// a sparse tensor is. Its calls and its part in the engine go to chainrule.wrapped, which knows gradients in terms of
// the operations that PyTorch's dispatcher would show.
extern bool classes_dispatch;  // whether there have been instances of such a class
bool has_dispatch(PyTypeObject* type);
bool has_dispatch(const TensorObject* t);
inline bool dispatches(const TensorObject* t) { return classes_dispatch && has_dispatch(t); }
inline bool dispatches(const Tensor& t) { return dispatches(t.get()); }
// What Python's rules are asked for: the elements are not there, or a class has its say.
bool has_parts_or_dispatch(const TensorObject* t);
inline bool is_kept_by_python(const TensorObject* t) {
  return (sparse_tensors > 0 || classes_dispatch) && has_parts_or_dispatch(t);
}
inline bool is_kept_by_python(const Tensor& t) { return is_kept_by_python(t.get()); }

// The object itself, or an entry of a list or tuple.
bool holds_sparse(PyObject* o);

// A new one with these parts, without history.
Tensor sparse_tensor(PyObject* parts, Span sizes, DType dtype);

// What the function of chainrule.sparse.engine gives.
Tensor call_sparse(const char* function, const Tensor& a, const Tensor& b = {});

// A COO tensor; recorded if the values have a history.
Tensor sparse_coo(const Tensor& indices, const Tensor& values, Span sizes);

}  // namespace chainrule
