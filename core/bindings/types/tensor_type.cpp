// The Python type Tensor: its properties and slots.
#include "bindings/types/tensor_type.hpp"

#include <structmember.h>

#include "autograd/cut.hpp"
#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "autograd/source_line.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/operators.hpp"
#include "bindings/types/buffer.hpp"
#include "bindings/types/sparse_type.hpp"
#include "bindings/types/subclass.hpp"
#include "bindings/types/subscript.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/resolve.hpp"
#include "ops/matmul/matmul_checks.hpp"
#include "ops/views/view.hpp"
#include "tensor/owned.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {

PyTypeObject TensorType = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

Tensor tensor_of(PyObject* self) { return Tensor::borrow(self); }
TensorObject* object_of(PyObject* self) { return reinterpret_cast<TensorObject*>(self); }

PyObject* get_shape(PyObject* self, void*) {
  return guarded_unsettled([&] { return size_tuple(tensor_of(self).sizes()); });
}
PyObject* get_dtype(PyObject* self, void*) { return to_python(object_of(self)->dtype); }
PyObject* get_device(PyObject* self, void*) {
  if (is_sparse(self)) return property_of_sparse("device", self);
  return Py_NewRef(device_object(device_of_argument(self)));
}
PyObject* get_is_cuda(PyObject* self, void*) {
  if (is_sparse(self)) return property_of_sparse("is_cuda", self);
  return PyBool_FromLong(device_of_argument(self).kind == DeviceKind::Cuda);
}
PyObject* get_is_meta(PyObject* self, void*) {
  return is_sparse(self) ? property_of_sparse("is_meta", self) : PyBool_FromLong(is_meta(self));
}
PyObject* get_is_cpu(PyObject* self, void*) {
  return is_sparse(self) ? property_of_sparse("is_cpu", self)
                         : PyBool_FromLong(device_of_argument(self) == Device::CPU);
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(object_of(self)->ndim); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(size_of(object_of(self)->dtype)); }
PyObject* get_nbytes(PyObject* self, void*) {
  if (is_sparse(self)) return property_of_sparse("nbytes", self);
  return PyLong_FromLongLong(object_of(self)->numel * static_cast<int64_t>(size_of(object_of(self)->dtype)));
}
PyObject* get_version(PyObject* self, void*) {
  if (!object_of(self)->storage->inference) return PyLong_FromUnsignedLong(object_of(self)->storage->version);
  PyErr_SetString(PyExc_RuntimeError, "Inference tensors do not track version counter.");
  return nullptr;
}
PyObject* get_output_number(PyObject* self, void*) { return PyLong_FromUnsignedLong(object_of(self)->output_number); }
PyObject* get_false(PyObject*, void*) { return Py_NewRef(Py_False); }
PyObject* get_layout(PyObject* self, void*) {
  return is_sparse(self) ? property_of_sparse("layout", self) : Py_NewRef(strided_layout());
}
// "is_sparse" or "is_sparse_csr"
PyObject* get_sparse(PyObject* self, void* name) {
  return is_sparse(self) ? property_of_sparse(static_cast<const char*>(name), self) : Py_NewRef(Py_False);
}
PyObject* get_name(PyObject*, void*) { return Py_NewRef(Py_None); }
PyObject* get_base(PyObject* self, void*) {
  if (is_sparse(self)) return property_of_sparse("_base", self);
  TensorObject* base = object_of(self)->base;
  return base ? Py_NewRef((PyObject*)base) : Py_NewRef(Py_None);
}

// ---- views as properties

template <Tensor (*f)(const Tensor&)>
PyObject* get_view(PyObject* self, void* name) {
  return guarded([&] {
    if (is_sparse(self)) return property_of_sparse(static_cast<const char*>(name), self);
    PyObject* result = to_python(f(tensor_of(self)));
    PyTypeObject* subclass = subclass_of(&self, 1);
    return subclass ? as_subclass(subclass, result) : result;
  });
}
Tensor reversed(const Tensor& x) {
  Dims order(x.ndim());
  for (int i = 0; i < x.ndim(); ++i) order[i] = x.ndim() - 1 - i;
  return permute(x, order);
}
Tensor transposed(const Tensor& x) { return adjoint_matrix(x, "mT"); }
Tensor adjoint(const Tensor& x) { return conj_view(adjoint_matrix(x, "mH")); }
Tensor hermitian(const Tensor& x) {
  if (x.ndim() == 1 || x.ndim() > 2) {
    raise(PyExc_RuntimeError, "tensor.H is only supported on matrices (2-D tensors). Got ", x.ndim(), "-D tensor.",
          x.ndim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  }
  return adjoint(x);
}
// The same memory under a version count of its own: writes through .data are not noticed, as in PyTorch.
Tensor get_data(const Tensor& x) {
  PyObject* owner = x->storage->owner;
  Tensor keeper = owner && is_tensor(owner) ? Tensor::borrow(owner) : alias(x);  // x.data.data: no chain of owners
  DeviceScope there(x->storage->device);
  Storage* storage = Storage::borrow(x->storage->data, x->storage->bytes, keeper.py());
  storage->inference = x->storage->inference;
  Tensor result = tensor_over(storage, x.sizes(), x.strides(), x.offset(), x.dtype());
  storage->release();
  set_bits(result.get(), x->bits());
  return result;
}

// ---- autograd

PyObject* get_requires_grad(PyObject* self, void*) {
  return guarded_unsettled([&] {
    GradModeScope off(false);  // also of a view whose history cannot be told any more
    return PyBool_FromLong(requires_grad(object_of(self)));
  });
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded_unsettled(
      [&]() -> int {
        if (!value || !PyBool_Check(value)) raise(PyExc_RuntimeError, "requires_grad must be a bool");
        set_requires_grad(Tensor::borrow(self), value == Py_True);
        return 0;
      },
      -1);
}

PyObject* get_is_leaf(PyObject* self, void*) {
  return guarded_unsettled([&] {
    refresh(object_of(self));
    return PyBool_FromLong(!object_of(self)->node);
  });
}

PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded_unsettled([&] {
    refresh(object_of(self));
    Node* n = object_of(self)->node;
    return n ? Py_NewRef((PyObject*)n) : Py_NewRef(Py_None);
  });
}

PyObject* get_grad(PyObject* self, void*) {
  auto* t = object_of(self);
  if (!t->grad && t->node && !(t->flags & kRetainsGrad)) return warn_non_leaf_grad(Tensor::borrow(t));
  return t->grad ? Py_NewRef((PyObject*)t->grad) : Py_NewRef(Py_None);
}

void check_grad(const Tensor& self, PyObject* value) {
  if (!is_tensor(value))
    raise(PyExc_TypeError, "assigned grad expected to be a Tensor or None but got grad of type ",
          Py_TYPE(value)->tp_name);
  Tensor g = Tensor::borrow(value);
  if (g.get() == self.get()) raise(PyExc_RuntimeError, "can't assign Variable as its own grad");
  const Device there = device_of_argument(value), here = device_of_argument(self.py());
  if (there != here) {
    raise(PyExc_RuntimeError, "attempting to assign a gradient with device type '", kind_name(there.kind),
          "' to a tensor with device type '", kind_name(here.kind),
          "'. Please ensure that the gradient and the tensor are on the same device");
  }
  int wanted = self->extras ? self->extras->grad_dtype : TensorExtras::kOwnDType;
  bool fits = wanted == TensorExtras::kAnyDType ||
              static_cast<int>(g.dtype()) == (wanted < 0 ? static_cast<int>(self.dtype()) : wanted);
  if (!fits) {
    DType expected = wanted < 0 ? self.dtype() : static_cast<DType>(wanted);
    raise(PyExc_RuntimeError, "attempting to assign a gradient with dtype '", element_name(g.dtype()),
          "' to a tensor with grad_dtype '", facts(expected).tensor_name,
          "'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). Convert it with .to(), "
          "or "
          "set the tensor's grad_dtype, to None for any dtype.");
  }
  if (!equal(g.sizes(), self.sizes())) {
    raise(PyExc_RuntimeError, "attempting to assign a gradient of size '", g.sizes(), "' to a tensor of size '",
          self.sizes(), "'. Please ensure that the gradient and the tensor are the same size");
  }
}

int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded_unsettled(
      [&]() -> int {
        auto* t = object_of(self);
        bool clear = !value || value == Py_None;
        if (!clear) check_grad(Tensor::borrow(self), value);
        auto* fresh = clear ? nullptr : reinterpret_cast<TensorObject*>(Py_NewRef(value));
        if (fresh && fresh->node) track(t);
        if (clear && t->grad) extras_of(t)->cleared = current_line();
        Py_XDECREF((PyObject*)std::exchange(t->grad, fresh));
        return 0;
      },
      -1);
}

// x.real = value: what is written into the view.
template <Tensor (*view)(const Tensor&)>
int set_part(PyObject* self, PyObject* value, void* name) {
  Owned part(get_view<view>(self, name));
  return part ? tensor_assign_subscript(part.get(), Py_Ellipsis, value) : -1;
}

int set_data(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        if (!value) raise(PyExc_RuntimeError, "Deleting tensor data is not allowed. Delete tensor instead!");
        if (!is_tensor(value))
          raise(PyExc_TypeError, "Variable data has to be a tensor, but got ", Py_TYPE(value)->tp_name);
        if (is_meta(value) != is_meta(self))
          raise(PyExc_RuntimeError,
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type.");
        Tensor source = Tensor::borrow(value);
        if (requires_grad(object_of(self)) && !is_differentiable(source.dtype())) {
          raise(PyExc_RuntimeError,
                "data set to a tensor that requires gradients must be floating point or complex dtype");
        }
        replace_data(object_of(self), source);
        return 0;
      },
      -1);
}

PyObject* get_grad_dtype(PyObject* self, void*) {
  return guarded([&] {
    auto* t = object_of(self);
    refresh(t);
    if (t->node) raise(PyExc_RuntimeError, "grad_dtype can only be accessed on leaf tensors.");
    int wanted = t->extras ? t->extras->grad_dtype : TensorExtras::kOwnDType;
    if (wanted == TensorExtras::kAnyDType) return Py_NewRef(Py_None);
    return to_python(wanted < 0 ? t->dtype : static_cast<DType>(wanted));
  });
}

int set_grad_dtype(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        auto* t = object_of(self);
        refresh(t);
        if (t->node) raise(PyExc_RuntimeError, "grad_dtype can only be set on leaf tensors.");
        if (!value || (value != Py_None && !is_dtype(value)))
          raise(PyExc_RuntimeError, "grad_dtype must be a torch.dtype or None, but got ",
                value ? Py_TYPE(value)->tp_name : "nothing");
        auto wanted = value == Py_None ? TensorExtras::kAnyDType : static_cast<int8_t>(to_dtype_value(value));
        if (wanted >= 0 && t->grad && t->grad->dtype != static_cast<DType>(wanted))
          raise(PyExc_RuntimeError, "Cannot set grad_dtype to '", facts(static_cast<DType>(wanted)).name,
                "' because there is already a gradient with dtype '", facts(t->grad->dtype).name,
                "'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the new grad_dtype "
                "matches the existing gradient's dtype.");
        extras_of(t)->grad_dtype = wanted;
        return 0;
      },
      -1);
}

PyObject* get_retains_grad(PyObject* self, void*) { return PyBool_FromLong(object_of(self)->has(kRetainsGrad)); }

PyObject* or_none(PyObject* o) { return Py_NewRef(o ? o : Py_None); }
PyObject* get_hooks(PyObject* self, void*) {
  TensorExtras* r = object_of(self)->extras;
  return or_none(r ? r->hooks : nullptr);
}
int set_hooks(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        if (!value) raise(PyExc_RuntimeError, "Deletion of _backward_hooks not allowed!");
        if (value != Py_None && !PyDict_Check(value))
          raise(PyExc_TypeError, "_backward_hooks must be a dict or None, got ", Py_TYPE(value)->tp_name);
        track(object_of(self));
        Py_XSETREF(extras_of(object_of(self))->hooks, value == Py_None ? nullptr : Py_NewRef(value));
        return 0;
      },
      -1);
}
int refuse_grad_fn(PyObject*, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        if (!value) raise(PyExc_RuntimeError, "Deletion of _grad_fn not allowed!");
        raise(PyExc_TypeError, "_grad_fn can be only set to None; use detach_()");
      },
      -1);
}
PyObject* get_post_hooks(PyObject* self, void*) {
  TensorExtras* r = object_of(self)->extras;
  return or_none(r ? r->post_hooks : nullptr);
}

PyObject* get_cut(PyObject* self, void*) {
  Cut cut = find_cut(object_of(self));
  if (!cut.how) Py_RETURN_NONE;
  return Py_BuildValue("(sN)", cut.how, to_python(cut.line));
}
PyObject* get_cleared(PyObject* self, void*) {
  TensorExtras* r = object_of(self)->extras;
  return r ? to_python(r->cleared) : Py_NewRef(Py_None);
}
PyObject* get_written(PyObject* self, void*) {
  Storage* storage = object_of(self)->storage;
  return storage->version ? to_python(storage->written) : Py_NewRef(Py_None);
}
PyObject* get_written_at(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(object_of(self)->storage->written_at);
}

PyObject* get_dict(PyObject* self, void* closure) {
  PyObject* dict = PyObject_GenericGetDict(self, closure);
  if (dict) track(object_of(self));
  return dict;
}

constexpr const char* kElsewhere = "False: chainrule runs on the CPU.";
constexpr const char* kDense = "False: chainrule has no such tensors.";
PyGetSetDef getset[] = {
    {"shape", get_shape, nullptr, "The sizes of all dimensions.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"device", get_device, nullptr, "Where the elements live.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes per element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether gradients flow to this tensor.", nullptr},
    {"grad", get_grad, set_grad, "The gradient that backward() accumulated, or None.", nullptr},
    {"_grad", get_grad, set_grad, "The same as grad.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The operation that made this tensor, or None for a leaf.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether no recorded operation made this tensor.", nullptr},
    {"grad_dtype", get_grad_dtype, set_grad_dtype, "The dtype that .grad has; None: that of what arrives.", nullptr},
    {"retains_grad", get_retains_grad, nullptr, "Whether a non-leaf keeps its gradient.", nullptr},
    {"data", get_view<get_data>, set_data, "The same values without history.", const_cast<char*>("data")},
    {"T", get_view<reversed>, nullptr, "With all dimensions reversed.", const_cast<char*>("T")},
    {"mT", get_view<transposed>, nullptr, "With the last two dimensions swapped.", const_cast<char*>("mT")},
    {"H", get_view<hermitian>, nullptr, "The conjugate transpose.", const_cast<char*>("H")},
    {"mH", get_view<adjoint>, nullptr, "The conjugate transpose of the last two dimensions.", const_cast<char*>("mH")},
    {"real", get_view<chainrule::real>, set_part<chainrule::real>, "The real parts.", const_cast<char*>("real")},
    {"imag", get_view<chainrule::imag>, set_part<chainrule::imag>, "The imaginary parts.", const_cast<char*>("imag")},
    {"output_nr", get_output_number, nullptr, "Which output of grad_fn this tensor is.", nullptr},
    {"_version", get_version, nullptr, "How often the memory was written in place.", nullptr},
    {"_base", get_base, nullptr, "The tensor this one is a view of.", nullptr},
    {"_cut", get_cut, nullptr, "How and where the value left the graph.", nullptr},
    {"_written", get_written, nullptr, "The line of the last in-place write.", nullptr},
    {"_written_at", get_written_at, nullptr, "The number that the next node had at that write; 0: none.", nullptr},
    {"_cleared", get_cleared, nullptr, "The line that last set .grad to None.", nullptr},
    {"is_cpu", get_is_cpu, nullptr, "Whether the elements live in the memory of the processor.", nullptr},
    {"is_cuda", get_is_cuda, nullptr, "Whether the elements live in the memory of a GPU.", nullptr},
    {"is_ipu", get_false, nullptr, kElsewhere, nullptr},
    {"is_maia", get_false, nullptr, kElsewhere, nullptr},
    {"is_mkldnn", get_false, nullptr, kDense, nullptr},
    {"is_mtia", get_false, nullptr, kElsewhere, nullptr},
    {"is_sparse_csr", get_sparse, nullptr, "Whether the layout is sparse_csr.", const_cast<char*>("is_sparse_csr")},
    {"is_vulkan", get_false, nullptr, kElsewhere, nullptr},
    {"is_xla", get_false, nullptr, kElsewhere, nullptr},
    {"layout", get_layout, nullptr, "How the elements lie in memory: torch.strided, or a sparse layout.", nullptr},
    {"name", get_name, nullptr, "None: PyTorch's tensors have no names of their own either.", nullptr},
    {"is_sparse", get_sparse, nullptr, "Whether the layout is sparse_coo.", const_cast<char*>("is_sparse")},
    {"is_quantized", get_false, nullptr, kDense, nullptr},
    {"is_nested", get_false, nullptr, kDense, nullptr},
    {"is_meta", get_is_meta, nullptr, "Whether the tensor has a shape and no elements.", nullptr},
    {"is_mps", get_false, nullptr, kElsewhere, nullptr},
    {"is_xpu", get_false, nullptr, kElsewhere, nullptr},
    {"_backward_hooks", get_hooks, set_hooks, nullptr, nullptr},
    {"_grad_fn", get_grad_fn, refuse_grad_fn, nullptr, nullptr},
    {"_post_accumulate_grad_hooks", get_post_hooks, nullptr, nullptr, nullptr},
    {"__dict__", get_dict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// A tensor with attributes of its own can be part of a cycle.
int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  int status = PyObject_GenericSetAttr(self, name, value);
  if (object_of(self)->dict) track(object_of(self));
  return status;
}

PyObject* represent(PyObject* self) {
  return guarded_unsettled([&] {
    Owned printing(checked(PyImport_ImportModule("chainrule.printing")));
    return handed_on(PyObject_CallMethod(printing.get(), "tensor_repr", "O", self));
  });
}

Py_hash_t hash(PyObject* self) { return reinterpret_cast<Py_hash_t>(self); }  // hash(x) == id(x), as in PyTorch

PyMappingMethods mapping = {tensor_length, tensor_subscript, tensor_assign_subscript};
PySequenceMethods sequence = {};
PyBufferProcs buffer = {tensor_get_buffer, tensor_release_buffer};

// Tensor(2, 3), Tensor([1., 2.]), Tensor(other): PyTorch's legacy constructor, written in Python.
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded_unsettled([&] {
    Owned module(checked(PyImport_ImportModule("chainrule.legacy_constructor")));
    Owned function(checked(PyObject_GetAttrString(module.get(), "construct")));
    Owned first(checked(PyTuple_Pack(1, type))), full(checked(PySequence_Concat(first.get(), args)));
    return handed_on(PyObject_Call(function.get(), full.get(), kwargs));
  });
}
int ignore_init(PyObject*, PyObject*, PyObject*) { return 0; }

}  // namespace

void ready_tensor_type() {
  sequence.sq_contains = tensor_contains;
  PyTypeObject& t = TensorType;
  t.tp_name = "chainrule.Tensor";
  t.tp_basicsize = sizeof(TensorObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_doc = documents::kTensor;
  t.tp_dealloc = tensor_dealloc;
  t.tp_traverse = tensor_traverse;
  t.tp_clear = tensor_clear;
  t.tp_dictoffset = offsetof(TensorObject, dict);
  t.tp_weaklistoffset = offsetof(TensorObject, weakrefs);
  t.tp_repr = represent;
  t.tp_hash = hash;
  t.tp_richcompare = tensor_compare;
  t.tp_as_number = tensor_number_methods();
  t.tp_as_mapping = &mapping;
  t.tp_as_sequence = &sequence;
  t.tp_as_buffer = &buffer;
  t.tp_setattro = set_attribute;
  t.tp_getset = getset;
  t.tp_new = construct;
  t.tp_init = ignore_init;
  checked(PyType_Ready(&t));
  t.tp_flags &= ~static_cast<unsigned long>(Py_TPFLAGS_IMMUTABLETYPE);  // Tensor.mine = function works
}

}  // namespace chainrule
