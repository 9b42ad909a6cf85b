// Writing into tensors: what is allowed, and how histories follow.
#include "autograd/inplace.hpp"

#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {
namespace {

OpInfo kCopySlices{"copy_slices", "CopySlices",
                   "the written region's gradient goes through the operation, the rest passes"};
OpInfo kRefreshed{"as_strided", "AsStridedBackward0", "g placed back at the elements that the view shows"};

// Where a view's elements lie, counted from the base's first element.
struct Region {
  Dims base_sizes, base_strides, sizes, strides;
  int64_t offset;            // in elements of the view
  bool of_parts;             // a real view (real, imag) of a complex base
  bool of_pairs;             // a complex view of a real base: sizes, strides and offset are those of the pairs
  uint16_t base_bits, bits;  // whether the base and the view show conjugates or negatives of what lies in memory
};

Region region_of(const TensorObject* view) {
  const TensorObject* base = view->base;
  Region r{Dims(Span(base->sizes(), base->ndim)),
           Dims(Span(base->strides(), base->ndim)),
           Dims(Span(view->sizes(), view->ndim)),
           Dims(Span(view->strides(), view->ndim)),
           (view->data - base->data) / static_cast<int64_t>(size_of(view->dtype)),
           holds_complex(base->dtype) && !holds_complex(view->dtype),
           !holds_complex(base->dtype) && holds_complex(view->dtype),
           base->bits(),
           view->bits()};
  if (!r.of_pairs) return r;
  for (int64_t& s : r.strides) s *= 2;
  r.sizes.push_back(2);
  r.strides.push_back(1);
  r.offset = (view->data - base->data) / static_cast<int64_t>(size_of(base->dtype));
  return r;
}

// A base that got other memory (base.data = ..., resize_) no longer has this view; it goes its own way.
bool left_its_base(TensorObject* view) {
  if (!view->base || view->base->storage == view->storage) return false;
  Py_DECREF((PyObject*)std::exchange(view->base, nullptr));
  return true;
}

// Raises for a view whose history cannot follow a write: into itself, or (`indirect`) into its base behind its back.
void check_history(const Tensor& self, bool indirect) {
  const char* reason = nullptr;
  if (self->has(kViewCustom)) {
    // A rewritten history would replace the gradient that the Function's author wrote.
    reason =
        " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function.";
  } else if (self->has(kViewInference)) {
    reason =
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the inference_mode block (if you don't want the inplace to "
        "be tracked) or both outside (if you want the inplace to be tracked).";
  } else if (self->has(kViewNoGrad)) {
    reason =
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
        "tracked) or both outside (if you want the inplace to be tracked).";
  } else if (self->has(kViewOfMany)) {
    reason =
        " This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one.";
  }
  if (!reason) return;
  const char* what = indirect ? "its base or another view of its base has been" : "is being";
  bool unrecorded = !self->has(kViewCustom) && (self->has(kViewInference) || self->has(kViewNoGrad));
  std::string maker =
      self->node ? "Output " + std::to_string(self->output_number) + " of " + forward_name(self->node) : std::string();
  if (self->node && !unrecorded)
    raise(PyExc_RuntimeError, maker, " is a view and ", what, " modified inplace.", reason);
  raise(PyExc_RuntimeError, self->node ? maker + " is a view of a view which was created in" : "A view was created in",
        self->has(kViewInference) ? " inference mode and " : " no_grad mode and ", what,
        self->has(kViewInference) ? " modified inplace in normal mode." : " modified inplace with grad mode enabled.",
        reason);
}

void check_view(const Tensor& self) {
  check_history(self, false);
  // A view with a history of its base that has none: between the two is a view that was made a leaf.
  if (self->base->has(kRequiresGrad) || (!self->base->node && self->node)) {
    raise(PyExc_RuntimeError,
          "a view of a leaf Variable that requires grad is being used in an in-place operation.\n"
          "  What to do: to change the values of a parameter, write under no_grad(); to calculate with changed values, "
          "make a copy first (x.clone()).");
  }
}

// The gradient of the base's former value, given that of its new one.
struct CopySlicesGradient {
  Region* region;  // owned

  void operator()(Backward& b) const {
    Node* inner = b.node()->extras->inner;
    Tensor whole = copy_strided(with_bits(b.g(), region->base_bits), region->base_strides);
    Tensor part =
        as_strided(region->of_parts ? view_as_real(whole) : whole, region->sizes, region->strides, region->offset);
    if (region->of_pairs) part = view_as_complex(part);
    Tensor gradients[1] = {clone(with_bits(part, region->bits))};
    Backward operation(inner, gradients);
    inner->function->invoke(inner->capture, operation);
    for (int i = 1; i < inner->edge_count; ++i) b.give(i, std::move(operation.result(i)));
    if (!b.needs(0)) return;
    if (operation.result(0))
      copy_into(part, with_bits(operation.result(0), region->bits));
    else
      fill_zero(part);
    b.give(0, with_bits(whole, region->base_bits));
  }
};

struct RefreshedGradient {
  Region* region;  // owned
  void operator()(Backward& b) const {
    Dims sizes = region->base_sizes, strides = region->base_strides;
    if (region->of_parts) {
      for (int64_t& s : strides) s *= 2;
      sizes.push_back(2);
      strides.push_back(1);
    }
    Tensor g = with_bits(b.g(), region->bits);
    if (region->of_pairs) g = view_as_real(g);
    Tensor whole = scatter_strided(g, sizes, strides, region->sizes, region->strides, region->offset);
    b.give(0, with_bits(region->of_parts ? view_as_complex(whole) : whole, region->base_bits));
  }
};

// Owns the region for the closure's life: closures are moved, never copied, into the node.
template <class G>
struct Owning {
  G gradient;
  explicit Owning(Region r) : gradient{new Region(std::move(r))} {}
  Owning(Owning&& other) noexcept : gradient(other.gradient) { other.gradient.region = nullptr; }
  ~Owning() { delete gradient.region; }
  void operator()(Backward& b) const { gradient(b); }
};

// Takes over the reference to `n`. A retained gradient is that of the newest value; hooks stay with the value they saw.
void set_node(TensorObject* t, Node* n) {
  Node* old = std::exchange(t->node, n);
  uint32_t number = std::exchange(t->output_number, 0);
  if (t->has(kRetainsGrad) && old && old->extras && number < old->extras->retained.size()) {
    PyObject* reference = std::exchange(old->extras->retained[number], nullptr);
    if (n)
      extras(n)->retained.push_back(reference);
    else
      Py_XDECREF(reference);
  }
  Py_XDECREF((PyObject*)old);
  track(t);
}

void rebase_through_view(const Tensor& self, Node* inner) {
  Tensor base = Tensor::borrow(self->base);
  Node* n = make_node(&kCopySlices, inner->edge_count, 0, 1);
  set_edge(n, 0, gradient_edge(base));
  for (int i = 1; i < inner->edge_count; ++i) set_edge(n, i, inner->edges[i]);
  extras(n)->inner = inner;  // takes over the caller's reference
  set_function(n, Owning<CopySlicesGradient>(region_of(self.get())));
  n->outputs[0].describe(base);
  finish_node(n);
  set_node(base.get(), n);
  ++base->epoch;
  refresh_view(self.get());
}

[[noreturn]] void raise_captured(const Tensor& self) {
  raise(
      PyExc_RuntimeError,
      "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that "
      "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to "
      "explicitly accept the mutated Tensor(s) as inputs.\n  The tensor of shape ",
      self.sizes(), " was made outside of the function. It may also calculate with a copy (x.clone()).");
}

}  // namespace

bool overlaps_itself(const Tensor& t) {
  if (t.is_contiguous() || t.numel() < 2) return false;
  for (int i = 0; i < t.ndim(); ++i) {
    if (t.stride(i) == 0 && t.size(i) > 1) return true;
  }
  return false;
}

void check_no_overlap(const Tensor& self) {
  if (!overlaps_itself(self)) return;
  raise(PyExc_RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please "
        "clone() the tensor before performing the operation. (shape ",
        self.sizes(), ", strides ", self.strides(), ")");
}

void check_not_inference(const Tensor& self) {
  if (!self->storage->inference || Storage::making.inference) [[likely]]
    return;
  raise(PyExc_RuntimeError,
        "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
        "tensor before doing inplace update.");
}

void check_inplace(const Tensor& self, bool recorded) {
  check_not_inference(self);
  if (self->storage->made_in < Storage::transform) [[unlikely]]
    raise_captured(self);
  // A view without a history, made under no_grad or before its base required a gradient: the base would change behind
  // its history's back.
  bool behind = self->base && !self->node && grad_enabled() && requires_grad(self->base);
  if (!recorded && !behind) return;
  if (self->base) check_view(self);
  if (self->has(kRequiresGrad)) {
    raise(PyExc_RuntimeError, self->base ? "a view of a leaf Variable that" : "a leaf Variable that",
          " requires grad is being used in an in-place operation.\n"
          "  What to do: to update a parameter, write under no_grad(); to calculate with changed values, make a new "
          "tensor "
          "(x = x + 1, not x += 1).");
  }
}

void refuse_recorded_out(const std::string& op) {
  raise(PyExc_RuntimeError, op, op.empty() ? "" : "(): ",
        "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
        "grad.");
}

void check_out_unrecorded(const std::string& op, std::initializer_list<const Tensor*> out_and_inputs) {
  if (forward_mode::active()) [[unlikely]] {
    for (const Tensor* t : out_and_inputs) forward_mode::refuse_out(op, t->get());
  }
  for (const Tensor* t : out_and_inputs) {
    if (*t && grad_enabled() && requires_grad(*t)) refuse_recorded_out(op);
  }
  if (**out_and_inputs.begin()) check_not_inference(**out_and_inputs.begin());
}

// An unrecorded write leaves the base its history, but its views are out of date all the same: PyTorch gives them new
// nodes, and refuses those whose history cannot follow.
static void outdate_views(const Tensor& self) {
  TensorObject* base = self->base && self->base->storage == self->storage ? self->base : self.get();
  if (requires_grad(Tensor::borrow(base))) ++base->epoch;
}

void mark_written(const Tensor& self) {
  if (!grad_enabled()) outdate_views(self);
  ++self->storage->version;
  self->storage->written = current_line();
  self->storage->written_at = next_sequence;
}

bool should_record_write(Inputs inputs) {
  if (!grad_enabled() || !is_differentiable(inputs[0]->dtype())) return false;
  for (const Tensor* t : inputs) {
    if (*t && requires_grad(*t)) return true;
  }
  return false;
}

void rebase_history(const Tensor& self, Node* node) {
  if (self->base && !left_its_base(self.get())) return rebase_through_view(self, node);
  set_node(self.get(), node);
  ++self->epoch;
}

void become_view(const Tensor& self, const Tensor& shown, OpInfo& op) {
  Tensor tangent = forward_mode::active() ? forward_mode::tangent(shown) : Tensor();
  mark_relaid(self.get());
  self->data = shown->data;
  set_layout(self.get(), shown.sizes(), shown.strides());
  mark_written(self);
  if (shown->node) {
    rename_node(shown->node, op);
    set_node(self.get(), std::exchange(shown->node, nullptr));
    if (!self->base) ++self->epoch;
  }
  if (tangent) forward_mode::set_tangent(self, tangent);
}

void refresh_view(TensorObject* t) {
  if (left_its_base(t)) return;
  if (t->flags & kUnwritableView) {
    if (!grad_enabled()) return;  // nobody asks for its history
    check_history(Tensor::borrow(t), true);
  }
  Tensor base = Tensor::borrow(t->base);
  t->view_epoch = base->epoch;
  Edge edge = gradient_edge(base);
  if (!edge) return set_node(t, nullptr);
  Node* n = make_node(&kRefreshed, 1, 0, 1);
  set_edge(n, 0, edge);
  set_function(n, Owning<RefreshedGradient>(region_of(t)));
  n->outputs[0].describe(Tensor::borrow(t));
  finish_node(n);
  set_node(t, n);
}

}  // namespace chainrule
