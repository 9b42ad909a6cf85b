// A run of elementwise nodes differentiated in one pass over memory, as one chain.
#pragma once
#include <functional>

#include "autograd/record.hpp"
#include "backends/chain.hpp"

namespace chainrule {

// Note [Gradient chains]
// Large elementwise gradients are bound by memory: each node reads and writes whole tensors that the next one reads
// again. When the engine meets such a node, it looks ahead in its own order of execution. As long as the next node is
// elementwise too, of the same shape and dtype, it joins. What the nodes calculate is then one chain (Note [Chains]):
// each gradient flows to the node that takes it inside the caches, and only what leaves the run of nodes (to leaves and
// to other nodes) is written to memory. Sums are formed in the same order as without chains, so results are equal to
// the bit.

// How one input's gradient of one node is calculated.
struct GradientTerm {
  int input;       // which edge of the node
  bool passes_on;  // the incoming gradient itself
  ChainStep step;  // else this; its first operand, the incoming gradient, is set when the nodes are known
};

class GradientChain {
 public:
  static constexpr int kMostNodes = 16;

  explicit GradientChain(const Output& shape) : shape_(shape), numel_(count(shape.sizes())) {}
  bool fits(const Output& o) const { return o.dtype == shape_.dtype && equal(o.sizes(), shape_.sizes()); }

  // Operands for terms: a contiguous tensor, or a number.
  ChainOperand operand(TensorObject* t);
  ChainOperand operand(double number);
  bool fits(const TensorObject* t) const;
  // Adds a node that has offered its terms; `gradient` is what reached it from outside the chain, or a null handle.
  void add(Node* n, std::vector<GradientTerm> terms, Tensor gradient);
  int size() const { return static_cast<int>(members_.size()); }
  Node* node(int i) const { return members_[static_cast<size_t>(i)].node; }
  bool contains(Node* n) const;

  // Runs it. What flows to `edge` outside the chain is added to sum(edge), in place, when that is not null; all else is
  // handed to give(edge, gradient) afterwards, in the order in which it arose.
  void run(const GradientSums& sums, const std::function<void(Edge, Tensor)>& give);

 private:
  struct Member {
    Node* node;
    std::vector<GradientTerm> terms;
    Tensor gradient;  // from outside
  };
  // Where gradients meet: the members' outputs first, then what lies outside.
  struct Slot {
    Edge edge;
    Tensor start;           // what it held before
    Tensor result;          // for slots outside: where the sum goes
    bool is_alone = false;  // one gradient of several for that edge, which the engine adds
    ChainOperand sum{};
  };

  bool only_passes_on() const;
  bool is_added_outside(Edge e, const GradientSums::Sum& sum) const;
  Slot& slot_of(Edge e, const GradientSums& sums);
  void connect(const GradientSums& sums);
  ChainOperand add_step(const ChainStep& step);
  double work() const;
  void calculate() const;

  const Output& shape_;
  int64_t numel_;
  std::vector<Member> members_;
  std::vector<Slot> slots_;
  std::vector<ChainInput> inputs_;
  std::vector<ChainStep> steps_;
  std::vector<Tensor> read_;  // another thread's pass may release what the nodes saved
};

// What a gradient function offers that can run in a chain: the terms of a node, or false when this node cannot (an
// input that is broadcast, not contiguous, or overwritten since).
using OfferTerms = bool (*)(Node* n, GradientChain& chain, std::vector<GradientTerm>& terms);

}  // namespace chainrule
