// Gradients of fused operations that can be differentiated again.
#include "ops/elementwise/composed_gradient.hpp"

#include "autograd/engine.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

// The same value as a variable of its own: one tensor may stand for several inputs.
Tensor variable(const Tensor& t) {
  if (requires_grad(t)) return view_as_alias(t);
  Tensor leaf = alias(t);
  leaf->flags |= kRequiresGrad;
  return leaf;
}

}  // namespace

void give_composed_gradients(Backward& b, const std::vector<Tensor>& inputs, const Compositions& compose) {
  std::vector<Tensor> variables = inputs, wanted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || !b.needs(static_cast<int>(i))) continue;
    variables[i] = variable(inputs[i]);
    wanted.push_back(variables[i]);
  }
  std::vector<Tensor> outputs = compose(variables), incoming;
  for (size_t i = 0; i < outputs.size(); ++i) incoming.push_back(b.g(static_cast<int>(i)));
  std::vector<Tensor> found = gradients_of(outputs, incoming, wanted, {.retain_graph = true, .create_graph = true});
  auto next = found.begin();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && b.needs(static_cast<int>(i))) b.give(static_cast<int>(i), *next++);
  }
}

void give_composed_gradient(Backward& b, const std::vector<Tensor>& inputs, const Composition& compose) {
  give_composed_gradients(b, inputs, [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{compose(in)}; });
}

}  // namespace chainrule
