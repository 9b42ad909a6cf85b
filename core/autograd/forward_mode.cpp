// Tangents by transposing an operation's gradient function.
#include "autograd/forward_mode.hpp"

#include <algorithm>

#include "autograd/dual.hpp"
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

uint32_t link_mark() { return ~level; }

// The dual tensor that a tangent belongs to a view of, or null.
TensorObject* linked_dual(const TensorObject* tangent) {
  bool linked = tangent && tangent->rare && tangent->rare->tangent && tangent->rare->tangent_level == link_mark();
  return linked ? tangent->rare->tangent : nullptr;
}

void set_linked_tangent(const Tensor& view, const Tensor& value, TensorObject* dual) {
  Tensor own = alias(value);
  Rare* r = rare(own.get());
  r->tangent_level = link_mark();
  r->tangent = Tensor::borrow(dual).release();
  track(own.get());
  set_tangent(view, own);
}

// Whose tangent holds that of a view: the dual tensor that it was made from, else the base.
TensorObject* owner_of(const TensorObject* t) {
  TensorObject* dual = linked_dual(own_tangent(t).get());
  return dual ? dual : t->base;
}

// The bits by which a view shows its owner's elements; their tangents differ likewise.
uint16_t bits_between(const TensorObject* owner, const TensorObject* t) { return owner->bits() ^ t->bits(); }

// Whether a view's elements stand in the owner's tangent as they stand in the owner.
bool shares_with(const TensorObject* owner, const TensorObject* t) {
  return owner && owner->dtype == t->dtype && Tensor::borrow(const_cast<TensorObject*>(owner)).is_contiguous();
}

Tensor part_of(const Tensor& owner, const Tensor& t, Tensor whole) {
  if (!equal(whole.strides(), owner.strides())) whole = copy_strided(whole, owner.strides());
  return as_strided(whole, t.sizes(), t.strides(), (t->data - owner->data) / static_cast<int64_t>(size_of(t.dtype())));
}

}  // namespace

bool has_tangent(const TensorObject* t) {
  return t && (own_tangent(t) || (shares_with(t->base, t) && own_tangent(t->base)));
}

Tensor tangent(const Tensor& t) {
  if (!t) return {};
  TensorObject* owner = owner_of(t.get());
  Tensor whole = shares_with(owner, t.get()) ? own_tangent(owner) : Tensor();
  if (!whole) return own_tangent(t.get());
  PauseScope pause;
  return with_bits(part_of(Tensor::borrow(owner), t, whole), bits_between(owner, t.get()));
}

// `before_` is held until the end: it may know the dual tensor.
WriteScope::WriteScope(const Tensor& self)
    : around_(std::exchange(innermost_, this)), self_(self), shared_(false), given_(false), before_(nullptr) {
  if (!active()) return;
  Tensor own = own_tangent(self.get());
  TensorObject* owner = owner_of(self.get());
  shared_ = shares_with(owner, self.get()) && (own_tangent(owner) || !own);
  before_ = own.release();
}

WriteScope::~WriteScope() noexcept(false) {
  innermost_ = around_;
  Tensor before = Tensor::steal(before_), own = own_tangent(self_.get());
  if (!before && !shared_) return;
  PauseScope pause;
  TensorObject* dual = linked_dual(before.get());
  Tensor owner = shared_ ? Tensor::borrow(dual ? dual : self_->base) : Tensor();
  if (!given_) {  // the operation gave no tangent: its result does not depend on the inputs
    if (!before && !own_tangent(owner.get())) return;
    own = zeros(self_.sizes(), self_.dtype());
    set_tangent(self_, own);
  }
  if (!shared_) return;
  Tensor whole = own_tangent(owner.get());
  whole = whole ? copy_strided(whole, owner.strides()) : zeros(owner.sizes(), owner.dtype());
  copy_into(part_of(owner, self_, whole), with_bits(own, bits_between(owner.get(), self_.get())));
  set_tangent(owner, whole);
  if (dual) set_linked_tangent(self_, own, dual);
}

void link_dual(const Tensor& view, const Tensor& input) {
  if (!view->base || !input->base || !view.same_storage(input) || view.get() == input.get()) return;
  Tensor own = own_tangent(view.get());
  TensorObject* dual = linked_dual(own_tangent(input.get()).get());
  if (!dual && own_tangent(input.get()) && !own_tangent(input->base)) dual = input.get();
  if (own && dual && shares_with(dual, view.get())) set_linked_tangent(view, own, dual);
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
    if (!inputs.empty() && *inputs[0]) link_dual(output, *inputs[0]);
  }
  return connected;
}

}  // namespace chainrule::forward_mode
