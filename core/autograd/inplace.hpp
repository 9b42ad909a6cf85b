// Writing into tensors: what is allowed, and how histories follow.
#pragma once
#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"

namespace chainrule {

// Note [Views and history]
// A view shares memory with its base. When a recorded in-place operation writes through a view, the base's value
// changes too, so the base gets a CopySlices node: gradients of the region that was written go through the operation,
// the rest pass by. Every other view of that base is now out of date. The base counts such rewrites in `epoch`; a view
// remembers the epoch its own node was made for and, when they differ, gets a new AsStrided node from the base the next
// time somebody asks for its history (refresh_view). A write under no_grad() to a base with a history counts, too.

// Raises if an in-place operation on `self` may not be recorded or could not be written (leaf, expanded, no-grad view).
// `recorded`: whether this operation will be recorded.
void check_inplace(const Tensor& self, bool recorded);
// Raises if it was made under inference_mode, which is over.
void check_not_inference(const Tensor& self);
// `self` becomes what `shown`, a view of it, shows: x.t_(). Other views stay as they are. The node is `op`'s.
void become_view(const Tensor& self, const Tensor& shown, OpInfo& op);
// Whether several elements of the tensor share one place in memory.
bool overlaps_itself(const Tensor& self);
// Raises if they do.
void check_no_overlap(const Tensor& self);
// Raises if out= is given and recording is on for it or for an input: PyTorch does not record such calls.
[[noreturn]] void refuse_recorded_out(const std::string& op);
void check_out_unrecorded(const std::string& op, std::initializer_list<const Tensor*> out_and_inputs);
// Counts a write and remembers the user's line.
void mark_written(const Tensor& self);
// `self` has been overwritten by the operation of `node` (finished, edge 0 leading to self's former value): gives it
// its new history, through its base when it is a view. Drops the caller's reference to the node.
void rebase_history(const Tensor& self, Node* node);

// Whether an operation that writes into inputs[0] is recorded.
bool should_record_write(Inputs inputs);

// As record_many, for an operation that has just overwritten inputs[0]: counts the write and gives it its new history.
// What the gradient reads of the former value has to be saved as a copy; saving inputs[0] saves the new one.
template <class F>
Tensor record_written(OpInfo& op, Inputs inputs, Inputs saved, const F& gradient) {
  const Tensor& self = *inputs[0];
  mark_written(self);
  if (forward_mode::active() && forward_mode::any_tangent(inputs)) [[unlikely]] {
    // A node of its own: this one has edges to all that carries a tangent.
    Node* n = make_record(op, {&self, 1}, inputs.size(), saved, gradient, [&](Node* node) { set_edges(node, inputs); });
    forward_mode::WriteScope scope(self);
    forward_mode::propagate(n, inputs, {&self, 1});
    Py_DECREF((PyObject*)n);
  }
  if (!should_record_write(inputs)) return self;
  rebase_history(self, make_record(op, {&self, 1}, inputs.size(), saved, gradient, [&](Node* node) {
                   for (size_t i = 0; i < inputs.size(); ++i) {
                     if (*inputs[i] && is_differentiable(inputs[i]->dtype()))
                       set_edge(node, static_cast<int>(i), gradient_edge(*inputs[i]));
                   }
                 }));
  return self;
}

}  // namespace chainrule
