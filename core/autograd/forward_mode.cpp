// Tangents by transposing an operation's gradient function.
#include "autograd/forward_mode.hpp"

#include <algorithm>

#include "autograd/engine.hpp"
#include "ops/accumulate.hpp"

namespace chainrule::forward_mode {
PauseScope::PauseScope() : previous_(depth) { depth = 0; }
PauseScope::~PauseScope() { depth = previous_; }

Tensor tangent(const Tensor& t) { return has_tangent(t.get()) ? Tensor::borrow(t->rare->tangent) : Tensor(); }

void set_tangent(const Tensor& t, const Tensor& tangent) {
  // What the node saved of its own output has the same tangent: gradients are differentiated too.
  for (int i = 0; t->node && i < t->node->saved_count; ++i) {
    const SavedTensor& s = t->node->saved[i];
    if (s.is_output && s.tensor && s.tensor->output_number == t->output_number && s.tensor->data == t->data)
      set_tangent(Tensor::borrow(s.tensor), tangent);
  }
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

bool propagate(Node* node, Inputs inputs, std::span<const Tensor> outputs) {
  bool tracked = false;  // whether the tangents themselves may be differentiated
  for (const Tensor* t : inputs) {
    tracked |= grad_enabled() && *t && (requires_grad(*t) || (has_tangent(t->get()) && requires_grad(tangent(*t))));
  }
  std::vector<Tensor> probes, gradients(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    gradients[i] = zeros(outputs[i].sizes(), outputs[i].dtype());
    gradients[i]->flags |= kRequiresGrad;
    probes.push_back(gradients[i]);
  }
  PauseScope pause;
  GradModeScope recording(true);
  Backward transpose(node, gradients.data());
  node->function->invoke(node->capture, transpose);

  bool connected = true;
  std::vector<Tensor> rows, tangents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor t = tangent(*inputs[i]), row = transpose.result(static_cast<int>(i));
    if (!t || !row) continue;
    connected &= requires_grad(row);
    if (!requires_grad(row)) continue;
    rows.push_back(row);
    tangents.push_back(fit_tangent(t, row));
  }
  if (rows.empty()) return connected;
  std::vector<Tensor> found =
      gradients_of(rows, tangents, std::span<const Tensor>(probes), {.retain_graph = true, .create_graph = true});
  connected &= std::any_of(found.begin(), found.end(), [](const Tensor& t) { return bool(t); });
  size_t at = 0;
  for (const Tensor& output : outputs) {
    if (!output) continue;
    if (const Tensor& result = found[at++]) set_tangent(output, tracked ? result : alias(result));
  }
  return connected;
}

}  // namespace chainrule::forward_mode
