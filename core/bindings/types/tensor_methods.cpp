// Methods of Tensor that are about the tensor itself: its description, its history, its values.
#include "autograd/cut.hpp"
#include "autograd/engine.hpp"
#include "autograd/leaf.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/from_python.hpp"
#include "bindings/types/storage_type.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

PyObject* size_of_tensor(const Tensor& t, std::optional<int64_t> dim) {
  if (!dim) return size_tuple(t.sizes());
  if (t.ndim() == 0) raise(PyExc_IndexError, "Dimension specified as ", *dim, " but tensor has no dimensions");
  return PyLong_FromLongLong(t.size(wrap_dim(*dim, t.ndim())));
}

PyObject* stride_of_tensor(const Tensor& t, std::optional<int64_t> dim) {
  if (!dim) return int_tuple(t.strides());
  return PyLong_FromLongLong(t.stride(wrap_dim(*dim, t.ndim())));
}

PyObject* item_of(const Tensor& t) {
  if (t.numel() != 1) raise(PyExc_RuntimeError, "a Tensor with ", t.numel(), " elements cannot be converted to Scalar");
  mark_cut(t, "item()");
  return to_python(chainrule::item(t));
}

// The values that training loops ask for most.
PyObject* quick_item(int, PyObject* self) {
  settle();
  auto* t = reinterpret_cast<TensorObject*>(self);
  if (t->numel != 1 || may_require_grad(t) || !is_host_memory(t->storage->device)) return item_of(Tensor::borrow(self));
  ElementScope open;
  if (t->dtype == DType::Float32) return PyFloat_FromDouble(*reinterpret_cast<const float*>(t->data));
  if (t->dtype == DType::Int64) return PyLong_FromLongLong(*reinterpret_cast<const int64_t*>(t->data));
  return to_python(load(t->dtype, t->data));
}

bool is_set_to(const Tensor& a, const Tensor& b) {
  return a.same_storage(b) && a->data == b->data && a->bits() == b->bits() && equal(a.sizes(), b.sizes()) &&
         equal(a.strides(), b.strides());
}

bool is_nonzero(const Tensor& t) { return from_python(PyObject_IsTrue(t.py())) == 1; }

PyObject* tolist(const Tensor& t) {
  mark_cut(t, "tolist()");
  return to_list(t);
}

// The tensor that stands for a GradientEdge.
Owned tensor_for(PyObject* edge) {
  Owned module(checked(PyImport_ImportModule("chainrule.autograd.graph")));
  return Owned(from_python(PyObject_CallMethod(module.get(), "as_tensor", "(O)", edge)));
}

std::vector<Tensor> inputs_of(PyObject* inputs) {
  if (is_tensor(inputs)) return {Tensor::borrow(inputs)};
  if (PyDict_Check(inputs)) {
    if (!PyDict_CheckExact(inputs)) {
      raise(PyExc_TypeError, "`inputs` argument to `backward()` must be a dict, not ", Py_TYPE(inputs)->tp_name,
            ". Other Mapping types are not supported.");
    }
    Owned values(checked(PyDict_Values(inputs)));
    return inputs_of(values.get());
  }
  std::vector<Tensor> result;
  bool edge = PyTuple_Check(inputs) && !PyTuple_CheckExact(inputs);  // a named tuple
  Owned list(from_python(edge ? PyList_New(0) : PySequence_List(inputs)));
  if (edge) checked(PyList_Append(list.get(), inputs));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    Owned given(Py_NewRef(PyList_GET_ITEM(list.get(), i)));
    if (!is_tensor(given.get())) given = tensor_for(given.get());
    if (!is_tensor(given.get())) {
      raise(PyExc_RuntimeError, "all inputs have to be Tensors or GradientEdges, but got ",
            Py_TYPE(given.get())->tp_name);
    }
    result.push_back(Tensor::borrow(given.get()));
  }
  return result;
}

// As in PyTorch a flag may be a number, and what is none says so.
bool flag(PyObject* o) {
  if (PyBool_Check(o)) return o == Py_True;
  PyObject* number = from_python(PyNumber_Index(o));
  bool on = from_python(PyObject_IsTrue(number)) == 1;
  Py_DECREF(number);
  return on;
}

void backward_from(const Tensor& t, const Tensor& gradient, PyObject* retain, PyObject* create_graph,
                   PyObject* inputs) {
  refuse_in_transform("backward");
  bool create = flag(create_graph);
  std::vector<Tensor> wanted;
  if (inputs != Py_None) {
    wanted = inputs_of(inputs);
    if (wanted.empty()) raise(PyExc_RuntimeError, "`inputs` argument to `backward()` cannot be empty.");
  }
  backward({&t, 1}, {&gradient, 1}, wanted, {retain == Py_None ? create : flag(retain), create});
}

Tensor set_leaf(const Tensor& t, bool on) {
  set_requires_grad(t, on);
  return t;
}

Tensor requires_grad_inplace(const Tensor& t, bool on) {
  refuse_in_transform("requires_grad_");
  return set_leaf(t, on);
}

// Of the first element; 0 where there is none.
int64_t address(const Tensor& t) { return t.numel() ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(t->data)) : 0; }

}  // namespace

void bind_tensor_methods() {
  define("size(Tensor input, int? dim=None) -> Size", kMethod, size_of_tensor);
  define("stride(Tensor input, int? dim=None) -> tuple", kMethod, stride_of_tensor);
  define("dim(Tensor input) -> int", kMethod, [](const Tensor& t) { return static_cast<int64_t>(t.ndim()); });
  define("ndimension(Tensor input) -> int", kMethod, [](const Tensor& t) { return static_cast<int64_t>(t.ndim()); });
  define("numel(Tensor input) -> int", kBoth, [](const Tensor& t) { return t.numel(); });
  define("nelement(Tensor input) -> int", kMethod, [](const Tensor& t) { return t.numel(); });
  define("element_size(Tensor input) -> int", kMethod,
         [](const Tensor& t) { return static_cast<int64_t>(size_of(t.dtype())); });
  define("storage_offset(Tensor input) -> int", kMethod, [](const Tensor& t) { return t.offset(); });
  define("data_ptr(Tensor input) -> int", kMethod, [](const Tensor& t) {
    if (t->storage->device == Device::Meta) return static_cast<int64_t>(t->data - t->storage->data);
    t->storage->mark_exported();
    return address(t);
  });
  define("untyped_storage(Tensor input) -> UntypedStorage", kMethod, storage_object);
  define("is_contiguous(Tensor input, *, memory_format? memory_format=None) -> bool", kMethod,
         [](const Tensor& t, std::optional<MemoryFormat> format) {
           return is_contiguous_in(format.value_or(MemoryFormat::Contiguous), t);
         });
  define("is_floating_point(Tensor input) -> bool", kBoth, [](const Tensor& t) { return holds_floating(t.dtype()); });
  define("is_complex(Tensor input) -> bool", kBoth, [](const Tensor& t) { return holds_complex(t.dtype()); });
  define("is_conj(Tensor input) -> bool", kBoth, [](const Tensor& t) { return t->has(kConj); });
  define("is_neg(Tensor input) -> bool", kBoth, [](const Tensor& t) { return t->has(kNeg); });
  define("is_distributed(Tensor input) -> bool", kBoth, [](const Tensor&) { return false; });
  define("get_device(Tensor input) -> int", kBoth, [](const Tensor& t) {
    const Device d = t->storage->device;
    return d.kind == DeviceKind::Cuda ? int64_t{d.index} : int64_t{-1};
  });
  define("is_same_size(Tensor input, Tensor other) -> bool", kBoth,
         [](const Tensor& a, const Tensor& b) { return equal(a.sizes(), b.sizes()); });
  define("is_set_to(Tensor input, Tensor tensor) -> bool", kMethod, is_set_to);
  define("is_nonzero(Tensor input) -> bool", kBoth, is_nonzero);
  define("const_data_ptr(Tensor input) -> int", kMethod, [](const Tensor& t) { return address(t); });
  define("_is_view(Tensor input) -> bool", kMethod, [](const Tensor& t) { return t->base != nullptr; });
  define("is_signed(Tensor input) -> bool", kBoth, [](const Tensor& t) { return is_signed(t.dtype()); });
  define("item(Tensor input) -> Number", kMethod, item_of);
  define_quick("item", {quick_item});
  define("tolist(Tensor input) -> list", kMethod, tolist);
  define("_mark_numpy(Tensor input) -> None", kMethod, [](const Tensor& t) { mark_cut(t, "numpy()"); });
  define(
      "backward(Tensor input, Tensor? gradient=None, object retain_graph=None, object create_graph=False, object "
      "inputs=None) -> None",
      kMethod, backward_from);
  define("requires_grad_(Tensor input, bool requires_grad=True)", kMethod, requires_grad_inplace);
  define("_as_leaf(Tensor input, bool requires_grad=True)", kMethod, set_leaf);  // the same, anywhere
  define("retain_grad(Tensor input) -> None", kMethod, [](const Tensor& t) {
    if (requires_grad(t)) refuse_in_transform("retain_grad");
    retain_grad(t);
  });
  define("_hooks(Tensor input) -> dict", kMethod, hook_dict);
  define("_post_hooks(Tensor input) -> dict", kMethod, post_hook_dict);
}

}  // namespace chainrule
