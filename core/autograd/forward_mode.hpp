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

inline bool has_tangent(const TensorObject* t) {
  return t && t->rare && t->rare->tangent && t->rare->tangent_level == level;
}
Tensor tangent(const Tensor& t);  // null handle when it has none
void set_tangent(const Tensor& t, const Tensor& tangent);
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
