// One backward pass: what it has gathered, and what it still has to do.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "autograd/engine.hpp"
#include "tensor/owned.hpp"

namespace chainrule {

// A gradient must have its target's shape and dtype; un-broadcasting happens here and nowhere else.
Tensor fit(Tensor gradient, DType dtype, Span sizes);
void accumulate(TensorObject*& sum, Tensor gradient);
// A node and a leaf have room for the pending gradient of one backward. A second one that meets them before the first
// is done with them, called from a hook or on another thread, keeps what it gathers for them here.
struct Aside {
  std::unordered_map<Node*, std::vector<Tensor>> nodes;
  std::unordered_map<TensorObject*, TensorObject*> leaves;  // strong values
};

// Working memory that the next backward uses again; a nested one starts with none.
struct Buffers {
  std::vector<Node*> heap;
  std::vector<std::pair<Edge, Tensor>> roots;  // strong
  std::vector<Tensor> keep;                    // inputs stay alive while we run
};

// Whether hooks want to see the leaf's gradient; those of its AccumulateGrad node count while somebody holds it.
bool is_watched(const TensorObject* leaf);

class Run : public GradientSums {
 public:
  Run(BackwardOptions options, bool accumulate_leaves);
  ~Run();

  void add_root(const Tensor& output, Tensor gradient);
  void select(std::span<const Tensor> inputs);
  void execute();
  // Which nodes lie between the roots and the inputs; a pass with the same of both may take it over.
  std::unordered_set<Node*> take_needed() { return std::move(needed_); }
  void give_needed(std::unordered_set<Node*> needed) {
    needed_ = std::move(needed);
    knows_needed_ = true;
  }
  std::vector<Tensor> take_captured();
  Sum gathered(Edge edge) const override;
  Sum gathered_by_leaf(TensorObject* leaf) const;
  uint32_t id() const { return id_; }
  bool selects() const { return selective_; }
  bool reaches(Edge edge);
  void queue_callback(Owned function) { callbacks_.push_back(std::move(function)); }

 private:
  struct Capture {
    Edge edge;
    size_t input;  // its place among those asked for
    Tensor gradient;
  };

  void deliver(Edge edge, Tensor gradient);
  void deliver_leaf(TensorObject* leaf, Tensor gradient);
  void gather(TensorObject* leaf, Tensor gradient);
  bool has_part(TensorObject* leaf) const;
  void deliver_none(TensorObject* leaf);
  bool waits(TensorObject* leaf) const;
  void enqueue(Node* n);
  void run_node(Node* n);
  bool run_chain(Node* first);
  void run_node_there(Node* n);
  bool may_join(Node* n, GradientChain& chain, std::vector<GradientTerm>& terms) const;
  void deliver_aside(Edge edge, Tensor gradient);
  void take_pending(Node* n, Tensor* gradients);
  Tensor take_pending(TensorObject* leaf);
  void find_readers();
  bool is_complete(TensorObject* leaf, uint64_t reached) const;
  void show_complete_gradients(uint64_t reached);
  void finish_leaf(const Tensor& leaf);
  void finish_complete_leaves(const Node* last);
  void finish_leaves();
  void keep_complete_leaves(Node* failed);
  void run_callbacks();
  void accumulate_leaf(TensorObject* leaf, Tensor gradient);
  std::span<const Capture> captures_at(const PyObject* object) const;
  std::span<Capture> captures_at(const PyObject* object);
  bool captured(Edge edge) const;
  bool leads_to_input(Edge edge) const override;
  std::vector<Node*> reachable() const;
  static std::vector<Node*> reachable_from(std::vector<Node*> stack);
  void mark_needed();
  void clean_up();

  uint32_t id_;
  BackwardOptions options_;
  bool leaves_;  // whether leaves that are not captured take their gradient
  Buffers buffers_;
  std::vector<Capture> captures_;  // by the object that the edge leads to
  std::unordered_set<Node*> needed_;
  std::unordered_map<TensorObject*, uint64_t> oldest_reader_;  // see autograd/engine_leaves.cpp
  std::vector<Tensor> fresh_;                                  // leaves first written by this pass
  std::vector<Tensor> waiting_;                                // leaves whose sum is still pending
  bool watched_ = false;                                       // whether hooks wait for one of them
  bool got_none_ = false;                                      // whether a leaf may wait without a sum
  bool knows_readers_ = false, knows_needed_ = false;
  Aside aside_;
  std::vector<Owned> callbacks_;  // called when all gradients are there
};

}  // namespace chainrule
