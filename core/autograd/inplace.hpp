// Writing into tensors: what is allowed, and how histories follow.
#pragma once
#include "autograd/record.hpp"

namespace chainrule {

// Note [Views and history]
// A view shares memory with its base. When a recorded in-place operation writes through a view, the base's value
// changes too, so the base gets a CopySlices node: gradients of the region that was written go through the operation,
// the rest pass by. Every other view of that base is now out of date. The base counts such rewrites in `epoch`; a view
// remembers the epoch its own node was made for and, when they differ, gets a new AsStrided node from the base the next
// time somebody asks for its history (refresh_view).

// Raises if an in-place operation on `self` may not be recorded or could not be written (leaf, expanded, no-grad view).
// `recorded`: whether this operation will be recorded.
void check_inplace(const Tensor& self, bool recorded);
// `self` becomes what `shown`, a view of it, shows: x.t_(). Other views stay as they are. The node is `op`'s.
void become_view(const Tensor& self, const Tensor& shown, OpInfo& op);
// Raises if several elements of the tensor share one place in memory.
void check_no_overlap(const Tensor& self);
// Counts a write and remembers the user's line.
void mark_written(const Tensor& self);
// `self` has been overwritten by the operation of `node` (finished, edge 0 leading to self's former value): gives it
// its new history, through its base when it is a view. Drops the caller's reference to the node.
void rebase_history(const Tensor& self, Node* node);

}  // namespace chainrule
