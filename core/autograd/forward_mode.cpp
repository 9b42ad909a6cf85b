// Tangents by transposing an operation's gradient function.
#include "autograd/forward_mode.hpp"

#include <algorithm>

#include "autograd/engine.hpp"
#include "autograd/inplace.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule::forward_mode {
PauseScope::PauseScope() : previous_(depth), kept_(active()) { depth = 0; }
PauseScope::~PauseScope() {
  if (previous_) depth = previous_;  // else another thread may have opened a level meanwhile
}

namespace {

Tensor own_tangent(const TensorObject* t) {
  bool exists = t && t->extras && t->extras->tangent && t->extras->tangent_level == level;
  return exists ? Tensor::borrow(t->extras->tangent) : Tensor();
}

void keep_tangent(TensorObject* t, const Tensor& value) {
  TensorExtras* r = extras_of(t);
  r->tangent_level = level;
  Py_XDECREF((PyObject*)std::exchange(r->tangent, Tensor(value).release()));
  track(t);
}

TensorObject* base_of(const TensorObject* t) {
  if (t->extras && t->extras->forward_level == level) return t->extras->forward_base;
  return t->base;
}

// A real view (real, imag, view_as_real) of a complex tensor.
bool shows_parts(const TensorObject* base, const TensorObject* t) {
  return holds_complex(base->dtype) && !holds_complex(t->dtype) && size_of(base->dtype) == 2 * size_of(t->dtype);
}

// A complex view of a real tensor.
bool shows_pairs(const TensorObject* base, const TensorObject* t) {
  return holds_complex(t->dtype) && !holds_complex(base->dtype) && size_of(t->dtype) == 2 * size_of(base->dtype);
}

// Whether a view's elements stand in the base's tangent as they stand in the base.
bool shares_with(const TensorObject* base, const TensorObject* t) {
  if (!base || base->storage->data != t->storage->data) return false;
  if (base->dtype != t->dtype && !shows_parts(base, t) && !shows_pairs(base, t)) return false;
  return !overlaps_itself(Tensor::borrow(const_cast<TensorObject*>(base)));
}

bool is_laid_out(const Tensor& tangent, const Tensor& like) {
  if (tangent.dtype() != like.dtype() || tangent->bits() != like->bits()) return false;
  if (!equal(tangent.sizes(), like.sizes())) return false;
  if (tangent->storage->bytes != like->storage->bytes) return false;
  if (like.numel() == 0) return true;
  for (int i = 0; i < like.ndim(); ++i) {
    if (like.size(i) > 1 && tangent.stride(i) != like.stride(i)) return false;
  }
  return tangent.offset() == like.offset();
}

// Zeros that lie in a storage of their own as `like` lies in its.
Tensor zeros_laid_out(const Tensor& like) {
  DeviceScope there(like->storage->device);
  int64_t count = like->storage->bytes / static_cast<int64_t>(size_of(like.dtype()));
  Tensor made = as_strided(zeros(Span(&count, 1), like.dtype()), like.sizes(), like.strides(), like.offset());
  return shown_with_bits(made, like->bits());
}

Tensor laid_out(const Tensor& tangent, const Tensor& like) {
  if (is_laid_out(tangent, like)) return tangent;
  Tensor made = zeros_laid_out(like);
  copy_into(made, tangent);
  return made;
}

Tensor part_of(const Tensor& base, const Tensor& t, Tensor whole) {
  whole = shown_with_bits(whole, 0);
  if (shows_pairs(base.get(), t.get())) {
    Dims sizes(t.sizes()), strides(t.strides());
    for (int64_t& s : strides) s *= 2;
    sizes.push_back(2);
    strides.push_back(1);
    int64_t offset = (t->data - base->data) / static_cast<int64_t>(size_of(base.dtype()));
    return shown_with_bits(view_as_complex(as_strided(whole, sizes, strides, offset)), t->bits());
  }
  if (shows_parts(base.get(), t.get())) whole = view_as_real(whole);
  int64_t offset = (t->data - base->data) / static_cast<int64_t>(size_of(t.dtype()));
  return shown_with_bits(as_strided(whole, t.sizes(), t.strides(), offset), t->bits());
}

// The base's tangent, laid out as the base is.
Tensor whole_tangent(TensorObject* base) {
  Tensor own = own_tangent(base);
  if (!own) return own;
  Tensor whole = laid_out(own, Tensor::borrow(base));
  if (whole.get() != own.get()) keep_tangent(base, whole);
  return whole;
}

}  // namespace

bool has_tangent(const TensorObject* t) {
  if (!t) return false;
  if (own_tangent(t)) return true;
  const TensorObject* base = base_of(t);
  return shares_with(base, t) && own_tangent(base);
}

Tensor tangent(const Tensor& t) { return resolved(kept_tangent(t)); }

Tensor kept_tangent(const Tensor& t) {
  if (!t) return {};
  if (Tensor own = own_tangent(t.get())) return own;
  TensorObject* base = base_of(t.get());
  if (!shares_with(base, t.get()) || !own_tangent(base)) return {};
  PauseScope pause;
  Tensor part = part_of(Tensor::borrow(base), t, whole_tangent(base));
  keep_tangent(t.get(), part);
  return part;
}

void drop_tangent(const Tensor& t) {
  if (t->extras) Py_CLEAR(t->extras->tangent);
  part_from_base(t);
}

void part_from_base(const Tensor& view) {
  TensorExtras* r = extras_of(view.get());
  r->forward_level = level;
  Py_CLEAR(r->forward_base);
}

void follow_base(const Tensor& view, const Tensor& input) {
  if (input->extras && input->extras->forward_level == level) show_tangent(view, input);
}

void show_tangent(const Tensor& view, const Tensor& input) {
  bool follows = input->extras && input->extras->forward_level == level && input->extras->forward_base;
  TensorObject* base = follows ? input->extras->forward_base : input.get();
  TensorExtras* r = extras_of(view.get());
  r->forward_level = level;
  Py_XSETREF(r->forward_base, Tensor::borrow(base).release());
  track(view.get());
}

void make_dual(const Tensor& dual, const Tensor& tangent) {
  PauseScope pause;
  part_from_base(dual);
  bool fits = overlaps_itself(dual) || is_laid_out(tangent, dual);
  set_tangent(dual, fits ? tangent : laid_out(tangent, dual));
}

Tensor tangent_apart(const Tensor& output, const Tensor& found, Inputs inputs) {
  for (const Tensor* t : inputs) {
    Tensor of_input = *t ? own_tangent(t->get()) : Tensor();
    if (of_input && of_input.same_storage(found) && !output.same_storage(*t)) return clone(found);
  }
  return found;
}

namespace {

// While one lives, no transform is around: tangents are not what the user's function may not write into.
struct OutsideTransforms {
  uint32_t around = std::exchange(Storage::transform, 0);
  ~OutsideTransforms() { Storage::transform = around; }
};
// The same for inference_mode: what is calculated here is recorded.
struct OutsideInference {
  bool around = Storage::making.inference;
  OutsideInference() { Storage::making.inference = false; }
  ~OutsideInference() { Storage::making.inference = around; }
};

}  // namespace

WriteScope::WriteScope(const Tensor& self)
    : around_(std::exchange(innermost_, this)), self_(self), given_(false), before_(nullptr) {
  if (active()) before_ = kept_tangent(self).release();
}

WriteScope::~WriteScope() noexcept(false) {
  innermost_ = around_;
  Tensor before = Tensor::steal(before_), now = given_ ? own_tangent(self_.get()) : Tensor();
  if (!before && !now) return;
  PauseScope pause;
  OutsideTransforms writing;
  if (!before) {
    TensorObject* base = base_of(self_.get());
    if (!shares_with(base, self_.get()) || overlaps_itself(self_)) return;
    if (!own_tangent(base)) keep_tangent(base, zeros_laid_out(Tensor::borrow(base)));
    before = part_of(Tensor::borrow(base), self_, whole_tangent(base));
  } else if (overlaps_itself(before)) {
    before = clone(before);
  }
  if (now)
    copy_into(before, now);
  else
    fill_zero(before);
  keep_tangent(self_.get(), before);
}

void refuse_out(const std::string& op, const TensorObject* t) {
  if (!has_tangent(t)) return;
  raise(PyExc_NotImplementedError, "Trying to use forward AD with ", op,
        "_out that does not support it because it is an out= function");
}

void set_tangent(const Tensor& t, const Tensor& tangent) {
  // What the node saved of its own output has the same tangent: gradients are differentiated too.
  for (int i = 0; t->node && i < t->node->saved_count; ++i) {
    const SavedTensor& s = t->node->saved[i];
    if (s.is_output && s.tensor && s.tensor->output_number == t->output_number && s.tensor->data == t->data)
      set_tangent(Tensor::borrow(s.tensor), tangent);
  }
  WriteScope* write = WriteScope::innermost_;
  if (write && write->self_.get() == t.get()) write->given_ = true;
  keep_tangent(t.get(), tangent);
}

bool any_tangent(Inputs inputs) {
  for (const Tensor* t : inputs) {
    if (has_tangent(t->get())) return true;
  }
  return false;
}

bool propagate(Node* node, Inputs inputs, std::span<const Tensor> outputs) {
  bool tracked = false;  // whether the tangents themselves may be differentiated
  for (const Tensor* t : inputs) {
    tracked |= grad_enabled() && *t && (requires_grad(*t) || (has_tangent(t->get()) && requires_grad(tangent(*t))));
  }
  OutsideInference recorded;
  std::vector<Tensor> probes, gradients(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    gradients[i] = zeros(outputs[i].sizes(), outputs[i].dtype());
    gradients[i]->flags |= kRequiresGrad;
    probes.push_back(gradients[i]);
  }
  PauseScope pause;
  GradModeScope recording(true);
  Backward transpose(node, gradients.data());
  node->function->invoke(node->capture, transpose);

  bool connected = true;
  std::vector<Tensor> rows, tangents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor t = tangent(*inputs[i]), row = transpose.result(static_cast<int>(i));
    if (!t || !row) continue;
    connected &= requires_grad(row);
    if (!requires_grad(row)) continue;
    rows.push_back(row);
    tangents.push_back(fit_tangent(t, row));
  }
  if (rows.empty()) return connected;
  std::vector<Tensor> found =
      gradients_of(rows, tangents, std::span<const Tensor>(probes), {.retain_graph = true, .create_graph = true});
  connected &= std::any_of(found.begin(), found.end(), [](const Tensor& t) { return bool(t); });
  size_t at = 0;
  for (const Tensor& output : outputs) {
    if (!output) continue;
    const Tensor& result = found[at++];
    bool written = WriteScope::writes(output), shown = !written && output->base && has_tangent(output.get());
    if (result && !shown) set_tangent(output, tangent_apart(output, tracked ? result : alias(result), inputs));
  }
  return connected;
}

void propagate_or_zero(Node* node, Inputs inputs, std::span<const Tensor> outputs) {
  propagate(node, inputs, outputs);
  PauseScope pause;
  for (const Tensor& output : outputs) {
    bool lacks = output && is_differentiable(output.dtype()) && !has_tangent(output.get());
    if (lacks && !WriteScope::writes(output)) set_tangent(output, zeros(output.sizes(), output.dtype()));
  }
}

}  // namespace chainrule::forward_mode
