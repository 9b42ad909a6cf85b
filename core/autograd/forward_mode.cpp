// Tangents by transposing an operation's gradient function.
#include "autograd/forward_mode.hpp"

#include "autograd/engine.hpp"
#include "ops/accumulate.hpp"

namespace chainrule::forward_mode {
PauseScope::PauseScope() : previous_(depth) { depth = 0; }
PauseScope::~PauseScope() { depth = previous_; }

Tensor tangent(const Tensor& t) { return has_tangent(t.get()) ? Tensor::borrow(t->rare->tangent) : Tensor(); }

void set_tangent(const Tensor& t, const Tensor& tangent) {
  Rare* r = rare(t.get());
  r->tangent_level = level;
  Py_XDECREF((PyObject*)std::exchange(r->tangent, Tensor(tangent).release()));
  track(t.get());
}

bool any_tangent(Inputs inputs) {
  for (const Tensor* t : inputs) {
    if (has_tangent(t->get())) return true;
  }
  return false;
}

void propagate(Node* node, Inputs inputs, const Tensor& output, size_t number) {
  bool tracked = false;  // whether the tangent itself may be differentiated
  for (const Tensor* t : inputs) {
    tracked |= grad_enabled() && *t && (requires_grad(*t) || (has_tangent(t->get()) && requires_grad(tangent(*t))));
  }
  PauseScope pause;
  GradModeScope recording(true);
  Tensor probe = zeros(output.sizes(), output.dtype());
  probe->flags |= kRequiresGrad;
  std::vector<Tensor> gradients(node->output_count);
  gradients[number] = probe;
  Backward transpose(node, gradients.data());
  node->function->invoke(node->capture, transpose);

  std::vector<Tensor> outputs, tangents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor t = tangent(*inputs[i]), row = transpose.result(static_cast<int>(i));
    if (!t || !row || !requires_grad(row)) continue;
    outputs.push_back(row);
    tangents.push_back(fit_tangent(t, row));
  }
  Tensor result;
  if (!outputs.empty()) {
    std::vector<Tensor> found = gradients_of(outputs, tangents, {probe}, {.retain_graph = true, .create_graph = true});
    result = found[0];
  }
  if (result) set_tangent(output, tracked ? result : alias(result));
}

}  // namespace chainrule::forward_mode
