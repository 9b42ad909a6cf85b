// Gradients of fused operations that can be differentiated again.
#pragma once
#include <functional>
#include <vector>

#include "autograd/record.hpp"

namespace chainrule {
// A fused kernel's gradient is memory without history. Where a gradient must itself be differentiable (create_graph,
// forward mode), the operation is run once more, composed of operations that have histories, and that graph is
// differentiated. So a fused operation needs no second derivative of its own, only its definition.
//
// `inputs` are those of the node, in order (null handles for none); `compose` gives the node's outputs.
using Compositions = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;
void give_composed_gradients(Backward& b, const std::vector<Tensor>& inputs, const Compositions& compose);
// The same for one output.
using Composition = std::function<Tensor(const std::vector<Tensor>& inputs)>;
void give_composed_gradient(Backward& b, const std::vector<Tensor>& inputs, const Composition& compose);

}  // namespace chainrule
