// Recording an operation: whether it is needed, and how an output learns where it came from.
#pragma once
#include <initializer_list>
#include <utility>

#include "autograd/kept.hpp"
#include "autograd/node.hpp"

namespace chainrule {

// Whether operations are recorded; per thread, changed by no_grad and kin.
// The initial-exec model reads it in one instruction instead of a call.
extern thread_local bool grad_mode __attribute__((tls_model("initial-exec")));
inline bool grad_enabled() { return grad_mode; }
inline void set_grad_enabled(bool on) { grad_mode = on; }
class GradModeScope {
 public:
  explicit GradModeScope(bool on) : previous_(grad_enabled()) { set_grad_enabled(on); }
  ~GradModeScope() { set_grad_enabled(previous_); }
  GradModeScope(const GradModeScope&) = delete;

 private:
  bool previous_;
};

// Brings a view's history up to date if its base was rewritten; see Note [Views and history].
void refresh_view(TensorObject* t);
inline void refresh(TensorObject* t) {
  if (t->base && t->view_epoch != t->base->epoch) [[unlikely]]
    refresh_view(t);
}
// A view that was made without recording has no history, so no gradient reaches its base through it; it requires one
// all the same where its base does, as in PyTorch.
inline bool requires_grad(TensorObject* t) {
  refresh(t);
  return t->node || t->has(kRequiresGrad) || (t->base && (t->base->node || t->base->has(kRequiresGrad)));
}
// True for every tensor that requires a gradient and for some views that do not: a quick first look.
inline bool may_require_grad(const TensorObject* t) { return t->node || t->base || t->has(kRequiresGrad); }
inline bool requires_grad(const Tensor& t) { return requires_grad(t.get()); }
// Where the gradient of `t` goes: its node's output, itself when a leaf that requires one, or nowhere.
inline Edge gradient_edge(TensorObject* t) {
  refresh(t);
  if (t->node) return Edge::to(t->node, t->output_number);
  return t->has(kRequiresGrad) ? Edge::to_leaf(t) : Edge();
}
inline Edge gradient_edge(const Tensor& t) { return gradient_edge(t.get()); }

// What the engine has gathered so far.
class GradientSums {
 public:
  // The sum of the gradients that have reached `edge`, or a null handle, and whether the next may be added in place.
  struct Sum {
    Tensor tensor;
    bool writable = false;
  };
  virtual Sum gathered(Edge edge) const = 0;
  // Whether a gradient for `edge` is of use; all are, unless the pass was asked for some inputs only.
  bool wants(Edge edge) const { return !selective_ || leads_to_input(edge); }

 protected:
  ~GradientSums() = default;
  virtual bool leads_to_input(Edge edge) const = 0;
  bool selective_ = false;  // whether only paths to the captured inputs run
};

// What a gradient function sees while it runs.
class Backward {
 public:
  // `watched`: somebody wants to see the results before they are added to anything.
  Backward(Node* node, Tensor* gradients, const GradientSums* sums = nullptr, bool watched = false)
      : node_(node), gradients_(gradients), sums_(sums), watched_(watched) {
    if (node->edge_count > 4) results_ = new Tensor[node->edge_count];
  }
  ~Backward() {
    if (results_ != inline_results_) delete[] results_;
  }
  Backward(const Backward&) = delete;

  Node* node() const { return node_; }
  // Gradient of output i; zeros if none arrived.
  const Tensor& g(int i = 0);
  bool has_g(int i) const { return static_cast<bool>(gradients_[i]); }
  // Gives the gradient away, so that its buffer may be written into.
  Tensor take_g(int i = 0);
  Tensor saved(int i) const { return unpack(node_, i); }
  bool needs(int i) const { return node_->edges[i] && (!sums_ || sums_->wants(node_->edges[i])); }
  // The sum that input i's gradient will be added to, if there is one already: a function may add to it in place and
  // give nothing. Pays for large tensors.
  Tensor gathered(int i) const {
    if (!sums_ || watched_) return Tensor();
    for (int k = 0; k < i; ++k) {  // x - x: what was given before is added before
      if (results_[k] && node_->edges[k] == node_->edges[i]) return Tensor();
    }
    GradientSums::Sum sum = sums_->gathered(node_->edges[i]);
    return sum.writable ? sum.tensor : Tensor();
  }
  void give(int i, Tensor gradient) { results_[i] = std::move(gradient); }
  Tensor& result(int i) { return results_[i]; }

 private:
  Node* node_;
  Tensor* gradients_;  // by output
  const GradientSums* sums_;
  bool watched_;
  Tensor inline_results_[4];
  Tensor* results_ = inline_results_;  // by input
};

// Makes `output` an output of `node` (a new reference to the node is taken).
void attach(const Tensor& output, Node* node, int output_number = 0);
// As above for a fresh output and its own new node, whose reference is handed over.
inline void attach_new(const Tensor& output, Node* node) {
  output->node = node;
  track(output.get());
}

using Inputs = std::span<const Tensor* const>;

// True when recording is on and an input requires a gradient, or forward mode is on and an input has a tangent.
bool should_record(Inputs inputs);
// For an output that is not recorded: remembers if that cuts it off from inputs that require gradients; see
// autograd/cut.hpp.
void note_cuts(const Tensor& output, Inputs inputs);
// Sets the edges of `n` from its inputs (null handles have none).
void set_edges(Node* n, Inputs inputs);
// Gives the finished node to the outputs and lets forward mode see it; drops the caller's reference to the node.
void attach_recorded(std::span<const Tensor> outputs, Node* n, Inputs inputs);
inline void attach_recorded(const Tensor& output, Node* n, Inputs inputs) { attach_recorded({&output, 1}, n, inputs); }

// A node for an operation that gave `outputs`, numbered and with its line; it has one reference. See record_all for
// `saved` and `gradient`; set_inputs(node) gives it its edges.
template <class F, class SetInputs>
Node* make_record(OpInfo& op, std::span<const Tensor> outputs, size_t inputs, Inputs saved, F gradient,
                  SetInputs set_inputs) {
  Node* n = make_node(&op, static_cast<int>(inputs), static_cast<int>(saved.size()), static_cast<int>(outputs.size()));
  set_inputs(n);
  int i = 0;
  for (const Tensor* t : saved) {
    size_t number = 0;
    while (number < outputs.size() && t->get() != outputs[number].get()) ++number;
    if (number < outputs.size())
      save_output(n, i, *t, static_cast<int>(number));
    else if (*t)
      save_input(n, i, *t);
    ++i;
  }
  set_function(n, std::move(gradient));
  for (size_t k = 0; k < outputs.size(); ++k) n->outputs[k].describe(outputs[k]);
  finish_node(n);
  return n;
}

// Records `outputs` as calculated from `inputs`. `saved` lists what the gradient reads back with saved(i): inputs, or
// an output itself. `gradient` is called with a Backward and gives one gradient per input that needs one; it captures
// plain values only, never tensors, so that the collector sees every reference.
template <class F>
void record_all(OpInfo& op, std::span<const Tensor> outputs, Inputs inputs, Inputs saved, F gradient) {
  if (!should_record(inputs)) {
    for (const Tensor& output : outputs) note_cuts(output, inputs);
    return;
  }
  Node* n =
      make_record(op, outputs, inputs.size(), saved, std::move(gradient), [&](Node* node) { set_edges(node, inputs); });
  attach_recorded(outputs, n, inputs);
}
template <class F>
Tensor record_many(OpInfo& op, Tensor output, Inputs inputs, Inputs saved, F gradient) {
  record_all(op, {&output, 1}, inputs, saved, std::move(gradient));
  return output;
}
template <class F>
Tensor record(OpInfo& op, Tensor output, std::initializer_list<const Tensor*> inputs,
              std::initializer_list<const Tensor*> saved, F gradient) {
  return record_many(op, std::move(output), Inputs(inputs.begin(), inputs.size()), Inputs(saved.begin(), saved.size()),
                     std::move(gradient));
}

// As record, for two outputs of one node; gradients that did not arrive are b.has_g(i) == false.
template <class F>
std::pair<Tensor, Tensor> record_pair(OpInfo& op, Tensor first, Tensor second,
                                      std::initializer_list<const Tensor*> inputs,
                                      std::initializer_list<const Tensor*> saved, F gradient) {
  Tensor outputs[] = {std::move(first), std::move(second)};
  record_all(op, outputs, Inputs(inputs.begin(), inputs.size()), Inputs(saved.begin(), saved.size()),
             std::move(gradient));
  return {std::move(outputs[0]), std::move(outputs[1])};
}

// As record, for an output that shares memory with its one input: links it to its base as well.
void link_view(const Tensor& output, const Tensor& input);
template <class F>
Tensor record_view(OpInfo& op, Tensor output, const Tensor& input, F gradient) {
  link_view(output, input);
  if (input->storage->inference) [[unlikely]]
    return output;  // outside of inference_mode, too, a view of such a tensor is none that anybody follows
  return record(op, std::move(output), {&input}, {}, std::move(gradient));
}

}  // namespace chainrule
