// Leaves and their gradients: who may require one, and what reading one tells.
#pragma once
#include "autograd/record.hpp"

namespace chainrule {

// Raises for non-leaves that would stop requiring one, and for dtypes without derivatives.
void set_requires_grad(const Tensor& t, bool on);
// Keeps the gradient of a non-leaf in its .grad.
void retain_grad(const Tensor& t);
// Takes the tensor out of the graph, in place.
void detach_inplace(const Tensor& t);
// None, after PyTorch's warning that the .grad of a non-leaf is not kept.
PyObject* warn_non_leaf_grad(const Tensor& t);
// The dict of hooks on a tensor's gradient; made on first use, moved with the tensor's history. A new reference.
PyObject* hook_dict(const Tensor& t);
PyObject* post_hook_dict(const Tensor& t);

}  // namespace chainrule
