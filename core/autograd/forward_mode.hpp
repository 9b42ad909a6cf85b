// Forward mode: tensors that carry a tangent, and how an operation passes it on.
#pragma once
#include "autograd/record.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule::forward_mode {

// Whether a dual level is open; nothing below costs anything while none is.
inline int depth = 0;
inline uint32_t level = 0;  // counts the levels ever opened: a tangent dies with its own
inline bool active() { return depth > 0; }
inline void enter() {
  ++depth;
  ++level;
}
inline void leave() { --depth; }
// A view and its base are one piece of memory, and so are their tangents: that of a view is a view of its base's, made
// when somebody asks for it, and laid out as the view is. An operation that writes into a tensor writes the new tangent
// into the old one; if there was none, its base gets one. A dual tensor is a view of its primal, which has no tangent;
// it is the base of the views that are made of it. Those, and the dual tensor itself, say so in
// TensorExtras::forward_base, which stands before the tensor's own base while the level is open; null: there is none.
bool has_tangent(const TensorObject* t);
Tensor tangent(const Tensor& t);  // null handle when it has none
// The same in the memory where it is kept. It may be unresolved: it has the bits of the view whose tangent it is.
Tensor kept_tangent(const Tensor& t);
void set_tangent(const Tensor& t, const Tensor& tangent);
void drop_tangent(const Tensor& t);
// `view` shows the memory of its base, but neither has the other's tangent.
void part_from_base(const Tensor& view);
// `view` was made from `input`.
void follow_base(const Tensor& view, const Tensor& input);
// The same where `view` has no other base.
void show_tangent(const Tensor& view, const Tensor& input);
// Makes `dual`, a view of its primal, carry a tangent: the given one if it is laid out as the primal, else a copy.
void make_dual(const Tensor& dual, const Tensor& tangent);
// A tangent for `output`: a copy where it would share memory with that of an input, since both may be written into.
Tensor tangent_apart(const Tensor& output, const Tensor& tangent, Inputs inputs);

// Lives while an operation writes into `self` and sets its tangent. At the end that stands in the old one.
class WriteScope {
 public:
  explicit WriteScope(const Tensor& self);
  ~WriteScope() noexcept(false);
  WriteScope(const WriteScope&) = delete;
  static bool writes(const Tensor& t) { return innermost_ && innermost_->self_.get() == t.get(); }

 private:
  friend void set_tangent(const Tensor& t, const Tensor& tangent);
  static inline thread_local WriteScope* innermost_ __attribute__((tls_model("initial-exec"))) = nullptr;

  WriteScope* around_;
  const Tensor& self_;
  bool given_;            // whether the operation has set a tangent; none means zero
  TensorObject* before_;  // strong
};
// For an operation whose new value of `self` depends on no input.
inline void forget_tangent(const Tensor& self) {
  if (!active()) [[likely]]
    return;
  WriteScope zero(self);
}
bool any_tangent(Inputs inputs);

// Sets the outputs' tangents from the inputs' by the operation's own gradient function: its transpose is differentiated
// with respect to the incoming gradients, so every differentiable operation has forward mode without a second rule.
// `outputs` are the node's, in order; a null handle takes no tangent. False: the gradients were not calculated from the
// incoming ones by recorded operations.
bool propagate(Node* node, Inputs inputs, std::span<const Tensor> outputs);
// The same for an operation of the core: gradients that do not depend on the incoming ones are zero, and so are
// tangents.
void propagate_or_zero(Node* node, Inputs inputs, std::span<const Tensor> outputs);

// Raises if `t` has a tangent: PyTorch passes none through out=.
void refuse_out(const std::string& op, const TensorObject* t);

// While one lives, operations pass no tangents on.
class PauseScope {
 public:
  PauseScope();
  ~PauseScope();
  PauseScope(const PauseScope&) = delete;

 private:
  int previous_;
  LockKeptScope kept_;  // the level belongs to all threads
};

}  // namespace chainrule::forward_mode
