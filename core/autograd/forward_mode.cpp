// Tangents by transposing an operation's gradient function.
#include "autograd/forward_mode.hpp"

#include <algorithm>

#include "autograd/engine.hpp"
#include "ops/accumulate.hpp"

namespace chainrule::forward_mode {
PauseScope::PauseScope() : previous_(depth) { depth = 0; }
PauseScope::~PauseScope() { depth = previous_; }

namespace {

Tensor own_tangent(const TensorObject* t) {
  bool exists = t && t->rare && t->rare->tangent && t->rare->tangent_level == level;
  return exists ? Tensor::borrow(t->rare->tangent) : Tensor();
}

// Whether a view's elements stand in the base's tangent as they stand in the base.
bool shares_with_base(const TensorObject* t) {
  return t->base && t->base->dtype == t->dtype && Tensor::borrow(t->base).is_contiguous();
}

Tensor part_of_base(const Tensor& t, Tensor whole) {
  Tensor base = Tensor::borrow(t->base);
  if (!equal(whole.strides(), base.strides())) whole = copy_strided(whole, base.strides());
  return as_strided(whole, t.sizes(), t.strides(), (t->data - base->data) / static_cast<int64_t>(size_of(t.dtype())));
}

}  // namespace

bool has_tangent(const TensorObject* t) {
  return t && (own_tangent(t) || (shares_with_base(t) && own_tangent(t->base)));
}

Tensor tangent(const Tensor& t) {
  if (!t) return {};
  Tensor whole = shares_with_base(t.get()) ? own_tangent(t->base) : Tensor();
  if (!whole) return own_tangent(t.get());
  PauseScope pause;
  return part_of_base(t, whole);
}

WriteScope::WriteScope(const Tensor& self) : self_(self), shared_(false), before_(nullptr) {
  if (!active() || !shares_with_base(self.get())) return;
  Tensor own = own_tangent(self.get());
  shared_ = own_tangent(self->base) || !own;
  before_ = own.get();
}

WriteScope::~WriteScope() noexcept(false) {
  Tensor own = shared_ ? own_tangent(self_.get()) : Tensor();
  if (!own || own.get() == before_) return;
  PauseScope pause;
  Tensor base = Tensor::borrow(self_->base), whole = own_tangent(base.get());
  whole = whole ? copy_strided(whole, base.strides()) : zeros(base.sizes(), base.dtype());
  copy_into(part_of_base(self_, whole), own);
  set_tangent(base, whole);
}

void set_tangent(const Tensor& t, const Tensor& tangent) {
  // What the node saved of its own output has the same tangent: gradients are differentiated too.
  for (int i = 0; t->node && i < t->node->saved_count; ++i) {
    const SavedTensor& s = t->node->saved[i];
    if (s.is_output && s.tensor && s.tensor->output_number == t->output_number && s.tensor->data == t->data)
      set_tangent(Tensor::borrow(s.tensor), tangent);
  }
  Rare* r = rare(t.get());
  r->tangent_level = level;
  Py_XDECREF((PyObject*)std::exchange(r->tangent, Tensor(tangent).release()));
  track(t.get());
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
    if (const Tensor& result = found[at++]) set_tangent(output, tracked ? result : alias(result));
  }
  return connected;
}

}  // namespace chainrule::forward_mode
