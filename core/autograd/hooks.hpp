// Calling the user's hooks during a backward pass.
#pragma once
#include "autograd/record.hpp"

namespace chainrule {

// Each hook of the dict may return a gradient to go on with. Null dict: the gradient itself.
Tensor run_tensor_hooks(PyObject* hooks, Tensor gradient);
void run_post_accumulate_hooks(const Tensor& leaf);
// Hooks of the outputs, and the gradients that outputs retain: they see what arrives at the node.
void run_output_hooks(Node* n, Tensor* gradients);
// Prehooks of the node itself, before its gradient function.
void run_before(Node* n, Tensor* gradients);
// Hooks of the node itself, after it.
void run_after(Node* n, Backward& backward, Tensor* gradients);

}  // namespace chainrule
