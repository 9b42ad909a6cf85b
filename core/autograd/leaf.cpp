// Leaves and their gradients: who may require one, and what reading one tells.
#include "autograd/leaf.hpp"

#include "autograd/cut.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/source_line.hpp"

namespace chainrule {

void set_requires_grad(const Tensor& t, bool on) {
  refresh(t.get());
  if (t->node) {
    if (on) return;
    raise(PyExc_RuntimeError,
          "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
          "subgraph "
          "that doesn't require differentiation use var_no_grad = var.detach().");
  }
  if (on && !is_differentiable(t.dtype())) {
    raise(PyExc_RuntimeError, "only Tensors of floating point dtype can require gradients (this one is torch.",
          facts(t.dtype()).name, ")");
  }
  if (on && t->storage->inference && !Storage::making.inference) {
    raise(PyExc_RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  }
  t->flags = on ? t->flags | kRequiresGrad : t->flags & ~kRequiresGrad;
}

void retain_grad(const Tensor& t) {
  if (!requires_grad(t)) raise(PyExc_RuntimeError, "can't retain_grad on Tensor that has requires_grad=False");
  if (!t->node || t->has(kRetainsGrad)) return;
  t->flags |= kRetainsGrad;
  auto& retained = extras(t->node)->retained;
  if (retained.size() <= t->output_number) retained.resize(t->output_number + 1, nullptr);
  PyObject* old = std::exchange(retained[t->output_number], checked(PyWeakref_NewRef(t.py(), nullptr)));
  Py_XDECREF(old);
}

void detach_inplace(const Tensor& t) {
  if (t->base) {
    raise(
        PyExc_RuntimeError,
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
        "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
        "detach_() cannot be called on these gradients.");
  }
  mark_cut(t, "detach_()");
  if (t->node) {
    t->flags |= kDetached;
    extras_of(t.get())->detached_at = next_sequence;
  }
  Py_XDECREF((PyObject*)std::exchange(t->node, nullptr));
  t->output_number = 0;
  t->flags &= ~(kRequiresGrad | kRetainsGrad);
  if (forward_mode::active()) forward_mode::drop_tangent(t);
}

PyObject* warn_non_leaf_grad(const Tensor& t) {
  std::string where = describe(t->node->line);
  std::string text =
      "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
      "populated "
      "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
      ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
      "leaf "
      "Tensor instead.";
  if (!where.empty()) text += "\n  It became a non-leaf here: " + where + "   [" + t->node->op->node_name + "]";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* hook_dict(const Tensor& t) {
  if (!requires_grad(t)) raise(PyExc_RuntimeError, "cannot register a hook on a tensor that doesn't require gradient");
  track(t.get());
  if (!t->node) {
    TensorExtras* r = extras_of(t.get());
    if (!r->hooks) r->hooks = checked(PyDict_New());
    return Py_NewRef(r->hooks);
  }
  auto& hooks = extras(t->node)->tensor_hooks;
  if (hooks.size() <= t->output_number) hooks.resize(t->output_number + 1, nullptr);
  if (!hooks[t->output_number]) hooks[t->output_number] = checked(PyDict_New());
  return Py_NewRef(hooks[t->output_number]);
}

PyObject* post_hook_dict(const Tensor& t) {
  if (!requires_grad(t)) raise(PyExc_RuntimeError, "cannot register a hook on a tensor that doesn't require gradient");
  if (t->node) raise(PyExc_RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors");
  track(t.get());
  TensorExtras* r = extras_of(t.get());
  if (!r->post_hooks) r->post_hooks = checked(PyDict_New());
  return Py_NewRef(r->post_hooks);
}

}  // namespace chainrule
