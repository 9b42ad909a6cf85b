// Grad mode, edges, and what a gradient function sees.
#include "autograd/record.hpp"

#include "autograd/cut.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

thread_local bool grad_mode = true;

const Tensor& Backward::g(int i) {
  if (!gradients_[i]) gradients_[i] = zeros(node_->outputs[i].sizes(), node_->outputs[i].dtype);
  return gradients_[i];
}

Tensor Backward::take_g(int i) {
  g(i);
  return std::move(gradients_[i]);
}

void attach(const Tensor& output, Node* node, int output_number) {
  output->node = reinterpret_cast<Node*>(Py_NewRef((PyObject*)node));
  output->output_number = static_cast<uint32_t>(output_number);
  track(output.get());
}

bool should_record(Inputs inputs) {
  if (grad_mode) {
    for (const Tensor* t : inputs) {
      if (*t && requires_grad(*t)) return true;
    }
  }
  return forward_mode::active() && forward_mode::any_tangent(inputs);
}

void note_cuts(const Tensor& output, Inputs inputs) {
  for (const Tensor* t : inputs) {
    if (!*t) continue;
    if ((*t)->has(kCut))
      inherit_cut(output, t->get());
    else if (!grad_mode && requires_grad(*t) && is_differentiable(output.dtype()))
      mark_unrecorded(output);
  }
}

void set_edges(Node* n, Inputs inputs) {
  int i = 0;
  for (const Tensor* t : inputs) {
    Edge edge = *t ? gradient_edge(*t) : Edge();
    // Forward mode asks for the gradient of inputs that only carry a tangent.
    if (!edge && *t && forward_mode::active() && forward_mode::tangent(*t)) edge = Edge::to_leaf(t->get());
    set_edge(n, i++, edge);
  }
}

void attach_recorded(std::span<const Tensor> outputs, Node* n, Inputs inputs) {
  bool wanted = false;
  if (grad_mode) {
    for (const Tensor* t : inputs) wanted |= *t && requires_grad(*t);
  }
  bool tangents = forward_mode::active() && forward_mode::any_tangent(inputs);
  for (size_t k = 0; k < outputs.size() && wanted; ++k) attach(outputs[k], n, static_cast<int>(k));
  if (tangents) forward_mode::propagate_or_zero(n, inputs, outputs);
  Py_DECREF((PyObject*)n);
}

void link_view(const Tensor& output, const Tensor& input) {
  if (input->storage->inference) {
    if (forward_mode::active() && forward_mode::has_tangent(input.get())) forward_mode::show_tangent(output, input);
    return;
  }
  TensorObject* base = input->base ? input->base : input.get();
  Py_INCREF((PyObject*)base);
  output->base = base;
  output->view_epoch = base->epoch;
  const uint16_t unrecorded = Storage::making.inference ? kViewInference : kViewNoGrad;
  output->flags |= grad_mode ? static_cast<uint16_t>(input->flags & kUnwritableView) : unrecorded;
  if (forward_mode::active()) [[unlikely]]
    forward_mode::follow_base(output, input);
  if (input->bits()) set_bits(output.get(), input->bits());
}

}  // namespace chainrule
