// Views of dual tensors, and what forward mode refuses.
#pragma once
#include "autograd/forward_mode.hpp"

namespace chainrule::forward_mode {

// Note [Views of dual tensors]
// A dual tensor is a view of its primal, so a view of the dual tensor has the primal as its base, which has no tangent.
// It therefore remembers the dual tensor: its own tangent, an object that nobody else has, carries it in the place
// where a tensor carries its tangent, marked so that it is never taken for one. What is written into the view or into
// the dual tensor then changes the tangent of the other.
void link_dual(const Tensor& view, const Tensor& input);

// Raises if `t` has a tangent: PyTorch passes none through out=.
void refuse_out(const std::string& op, const TensorObject* t);

}  // namespace chainrule::forward_mode
