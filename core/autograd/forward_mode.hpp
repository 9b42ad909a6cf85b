// Forward mode: tensors that carry a tangent, and how an operation passes it on.
#pragma once
#include "autograd/record.hpp"

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

// Note [Tangents of views]
// A view and its base are one piece of memory, and so are their tangents: that of a view is read from its base's, and
// an operation that writes into a view puts its tangent into the base's. A dual tensor is a view of its primal, which
// has no tangent; it keeps its own.
bool has_tangent(const TensorObject* t);
Tensor tangent(const Tensor& t);  // null handle when it has none
void set_tangent(const Tensor& t, const Tensor& tangent);

// Lives while an operation writes into `self` and sets its tangent. At the end the base's is changed too.
class WriteScope {
 public:
  explicit WriteScope(const Tensor& self);
  ~WriteScope() noexcept(false);
  WriteScope(const WriteScope&) = delete;

 private:
  friend void set_tangent(const Tensor& t, const Tensor& tangent);
  static inline WriteScope* innermost_ = nullptr;

  WriteScope* around_;
  const Tensor& self_;
  bool shared_, given_;   // whether the base has the tangent too; whether the operation has set one
  TensorObject* before_;  // strong
};
bool any_tangent(Inputs inputs);

// Sets the outputs' tangents from the inputs' by the operation's own gradient function: its transpose is differentiated
// with respect to the incoming gradients, so every differentiable operation has forward mode without a second rule.
// `outputs` are the node's, in order; a null handle takes no tangent. False: the gradients were not calculated from the
// incoming ones by recorded operations. For an operation of the core that means that they are zero.
bool propagate(Node* node, Inputs inputs, std::span<const Tensor> outputs);
inline void propagate(Node* node, Inputs inputs, const Tensor& output) { propagate(node, inputs, {&output, 1}); }

// While one lives, operations pass no tangents on.
class PauseScope {
 public:
  PauseScope();
  ~PauseScope();
  PauseScope(const PauseScope&) = delete;

 private:
  int previous_;
};

}  // namespace chainrule::forward_mode
