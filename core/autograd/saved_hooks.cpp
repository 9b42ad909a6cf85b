// What the user wants done with tensors that are saved for backward, in place of keeping them: saved_tensors_hooks.
#include "autograd/saved_hooks.hpp"

#include <utility>

#include "autograd/record.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {

thread_local bool packs_saved = false;

namespace {

struct Hooks {
  PyObject *pack, *unpack;  // strong
};
thread_local std::vector<Hooks> stack;

// What the unpack hook has to give back: (hook, dtype, sizes).
PyObject* promise(PyObject* hook, const Tensor& t) {
  Owned sizes(checked(PyTuple_New(t.ndim())));
  for (int i = 0; i < t.ndim(); ++i) PyTuple_SET_ITEM(sizes.get(), i, checked(PyLong_FromLongLong(t.size(i))));
  return checked(Py_BuildValue("(OiO)", hook, static_cast<int>(t.dtype()), sizes.get()));
}

// Gradients are calculated on the layout that was saved, so another shape cannot do; another dtype is converted.
Tensor kept_promise(PyObject* promised, const Tensor& t) {
  auto dtype = static_cast<DType>(PyLong_AsLong(PyTuple_GET_ITEM(promised, 1)));
  PyObject* sizes = PyTuple_GET_ITEM(promised, 2);
  Dims wanted;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes); ++i)
    wanted.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, i)));
  if (!equal(wanted, t.sizes())) {
    raise(PyExc_RuntimeError, "The size of the tensor that an unpack hook returned, ", t.sizes(),
          ", must match the size of the one that was packed, ", Span(wanted), ".");
  }
  if (t.dtype() == dtype) return t;
  if (!is_differentiable(t.dtype()) || !is_differentiable(dtype)) {
    raise(PyExc_RuntimeError, "An unpack hook returned a tensor of dtype torch.", facts(t.dtype()).name,
          " for one of dtype torch.", facts(dtype).name, ".");
  }
  return cast_gradient(t, dtype);
}

PackedTensor pack(Hooks hooks, const Tensor& t, int slot, bool is_output, int output_number) {
  Tensor given = is_output ? alias(t) : t;  // an output with its history would own the node that owns it
  uint32_t version = t->storage->version;
  Owned keep(promise(hooks.unpack, t));
  DeviceScope here(Device::CPU);
  Owned object(from_python(PyObject_CallOneArg(hooks.pack, given.py())));
  if (t->storage->version != version) {
    raise(PyExc_RuntimeError,
          "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
          "modified by in-place operations as this can lead to unexpected side-effects.");
  }
  PackedTensor result{object.release(), keep.release(), Edge(), slot, static_cast<uint32_t>(output_number), is_output};
  if (!is_output) {
    result.edge = gradient_edge(t);
    Py_XINCREF(result.edge.object());
  }
  return result;
}

}  // namespace

void push_saved_hooks(PyObject* pack, PyObject* unpack) {
  stack.push_back({Py_NewRef(pack), Py_NewRef(unpack)});
  packs_saved = true;
}

void pop_saved_hooks() {
  if (stack.empty()) return;
  Hooks last = stack.back();
  stack.pop_back();
  packs_saved = !stack.empty();
  Py_DECREF(last.pack);
  Py_DECREF(last.unpack);
}

size_t saved_hooks_depth() { return stack.size(); }

void pack_saved(Node* n, int i, const Tensor& t, bool is_output, int output_number) {
  try {
    extras(n)->packed.push_back(pack(stack.back(), t, i, is_output, output_number));
  } catch (...) {
    Py_DECREF((PyObject*)n);
    throw;
  }
}

void pack_kept(Node* n, int i, PyObject* pack_hook, PyObject* unpack_hook) {
  if (find_packed(n, i)) {
    raise(PyExc_RuntimeError,
          "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
          "allowed at a time.");
  }
  if (n->flags & kReleased || !n->saved[i].tensor) {
    raise(
        PyExc_RuntimeError,
        "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
        "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need them afterwards.");
  }
  unpack(n, i);  // raises if it was overwritten
  Tensor kept = Tensor::borrow(n->saved[i].tensor);
  GradModeScope unrecorded(false);
  PackedTensor packed = pack({pack_hook, unpack_hook}, kept, i, n->saved[i].is_output, kept->output_number);
  extras(n)->packed.push_back(packed);
  if (TensorObject* left = std::exchange(n->saved[i].tensor, nullptr)) Py_DECREF((PyObject*)left);
}

const PackedTensor* find_packed(const Node* n, int i) {
  if (!n->extras) return nullptr;
  for (const PackedTensor& p : n->extras->packed) {
    if (p.slot == i) return &p;
  }
  return nullptr;
}

Tensor unpack_saved(Node* n, const PackedTensor& kept) {
  PackedTensor packed = kept;  // the hook may run a pass of its own that releases what the node keeps
  Owned promised(Py_NewRef(packed.unpack)), argument(Py_NewRef(packed.object)),
      target(Py_XNewRef(packed.edge.object()));
  DeviceScope here(Device::CPU);
  const size_t depth = stack.size();
  Owned object(from_python(PyObject_CallOneArg(PyTuple_GET_ITEM(promised.get(), 0), argument.get())));
  while (stack.size() > depth) pop_saved_hooks();  // pairs that the hook entered and did not leave
  if (!is_tensor(object.get())) {
    raise(PyExc_TypeError, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type ",
          Py_TYPE(object.get())->tp_name);
  }
  Tensor given = resolved(kept_promise(promised.get(), Tensor::borrow(object.get())));
  Edge edge = packed.is_output ? Edge::to(n, packed.output_number) : packed.edge;
  if (!edge && !requires_grad(given)) return given;
  Tensor t = alias(given);
  if (!grad_enabled() || !edge) return t;
  if (!edge.is_leaf()) {
    attach(t, edge.node(), static_cast<int>(edge.output_number()));
    return t;
  }
  // The tensor is not the leaf itself, but its gradient goes there.
  static OpInfo op{"unpack", "AliasBackward0", "g"};
  Tensor leaf = Tensor::borrow(edge.leaf());
  return record(op, t, {&leaf}, {}, [](Backward& b) { b.give(0, b.g()); });
}

}  // namespace chainrule
