#include "autograd/gradient_chain.hpp"

#include <algorithm>

namespace chainrule {

bool GradientChain::fits(const TensorObject* t) const {
  return t->has(kContiguous) && t->dtype == shape_.dtype && equal(Span(t->sizes(), t->ndim), shape_.sizes());
}

// Of the chain's shape, or expanded from one element.
ChainOperand GradientChain::operand(TensorObject* t) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].data == t->data && (inputs_[i].strides[0] == 1) == t->has(kContiguous))
      return ChainOperand::input(static_cast<int>(i));
  }
  inputs_.push_back({t->data, t->dtype, Dims{t->has(kContiguous) ? 1 : 0}});
  read_.push_back(Tensor::borrow(t));
  return ChainOperand::input(static_cast<int>(inputs_.size()) - 1);
}
ChainOperand GradientChain::operand(double number) {
  inputs_.push_back({.number = Scalar(number)});
  return ChainOperand::input(static_cast<int>(inputs_.size()) - 1);
}
ChainOperand GradientChain::add_step(const ChainStep& step) {
  steps_.push_back(step);
  return ChainOperand::step(static_cast<int>(steps_.size()) - 1);
}

bool GradientChain::contains(Node* n) const {
  return std::any_of(members_.begin(), members_.end(), [n](const Member& m) { return m.node == n; });
}

void GradientChain::add(Node* n, std::vector<GradientTerm> terms, Tensor gradient) {
  members_.push_back({n, std::move(terms), std::move(gradient)});
}

// Whether what flows to `e` has to be added by the engine, one gradient after the other: to a sum that has another
// layout or that others see, or where each is summed to the input's shape first. Added here it would be rounded
// otherwise.
bool GradientChain::is_added_outside(Edge e, const GradientSums::Sum& sum) const {
  const DType dtype = e.is_leaf() ? e.leaf()->dtype : e.node()->outputs[e.output_number()].dtype;
  const Span sizes =
      e.is_leaf() ? Span(e.leaf()->sizes(), e.leaf()->ndim) : Span(e.node()->outputs[e.output_number()].sizes());
  if (dtype != shape_.dtype || !equal(sizes, shape_.sizes())) return true;
  return sum.tensor && (!sum.writable || !fits(sum.tensor.get()));
}

GradientChain::Slot& GradientChain::slot_of(Edge e, const GradientSums& sums) {
  for (Slot& s : slots_) {
    if (s.edge == e && !s.is_alone) return s;
  }
  GradientSums::Sum sum = sums.gathered(e);
  const bool alone = is_added_outside(e, sum);
  Tensor start = alone ? Tensor() : sum.tensor;
  slots_.push_back({e, start, start ? start : empty(shape_.sizes(), shape_.dtype), alone});
  if (start) slots_.back().sum = operand(start.get());
  return slots_.back();
}

// The steps of all members, in the order in which the engine would run them.
void GradientChain::connect(const GradientSums& sums) {
  for (const Member& m : members_) {
    slots_.push_back({Edge::to(m.node, 0), m.gradient, Tensor()});
    if (m.gradient) slots_.back().sum = operand(m.gradient.get());
  }
  for (size_t m = 0; m < members_.size(); ++m) {
    for (const GradientTerm& term : members_[m].terms) {
      const ChainOperand g = slots_[m].sum;
      Slot& target = slot_of(members_[m].node->edges[term.input], sums);
      ChainOperand value = g;
      if (!term.passes_on) {
        ChainStep step = term.step;
        step.operands[0] = g;
        value = add_step(step);
      }
      target.sum = target.sum.is_read() ? add_step({.op = OpId::add, .operands = {target.sum, value}}) : value;
    }
  }
}

// Sums that others may add to as well are formed with Python's lock.
double GradientChain::work() const {
  const auto outside = slots_.begin() + size();
  const bool adds = std::any_of(outside, slots_.end(), [](const Slot& s) { return bool(s.start); });
  return adds ? kKeepsLock : work_on(numel_) * static_cast<double>(steps_.size());
}

void GradientChain::calculate() const {
  const int64_t next = 1;
  std::vector<ChainOutput> outputs;
  for (size_t s = members_.size(); s < slots_.size(); ++s)
    outputs.push_back({slots_[s].sum, slots_[s].result->data, shape_.dtype, {&next, 1}});
  backend().chain->run.unlocked(work(), {{&numel_, 1}, shape_.dtype, inputs_, steps_, outputs, false});
}

bool GradientChain::only_passes_on() const {
  const auto& terms = members_[0].terms;
  return members_.size() == 1 && std::all_of(terms.begin(), terms.end(), [](auto& t) { return t.passes_on; });
}

void GradientChain::run(const GradientSums& sums, const std::function<void(Edge, Tensor)>& give) {
  const Member& first = members_[0];
  if (only_passes_on()) {  // a sum, on its own
    for (const GradientTerm& t : first.terms) give(first.node->edges[t.input], first.gradient);
    return;
  }
  connect(sums);
  calculate();
  for (size_t s = members_.size(); s < slots_.size(); ++s) {
    if (slots_[s].start)
      ++slots_[s].start->storage->version;
    else
      give(slots_[s].edge, std::move(slots_[s].result));
  }
}

}  // namespace chainrule
