// A run of elementwise nodes differentiated tile by tile, so that gradients between them never leave the cache.
#pragma once
#include <functional>
#include <memory>

#include "autograd/record.hpp"

namespace chainrule {

// Note [Tile groups]
// Large elementwise gradients are bound by memory: each node reads and writes whole tensors that the next one reads
// again. When the engine meets such a node, it looks ahead in its own order of execution. As long as the next node is
// elementwise too, of the same shape and dtype, it joins the group. The group then runs over 512 elements at a time:
// every node's gradient of a tile goes into a small buffer of the node it flows to, and only what leaves the group (to
// leaves and to other nodes) is written to memory. Sums are formed in the same order as without groups, so results are
// equal to the bit.

// How one input's gradient of one node is calculated on n contiguous elements.
struct TileTerm {
  using Kernel = void (*)(void* out, const void* const* in, int64_t n, const double* parameters);
  int input;               // which edge of the node
  Kernel kernel;           // null: the incoming gradient is passed on
  const char* in[5] = {};  // in[0] is g and set by the group; null: not read
  bool constant[5] = {};   // a tile of one repeated value, not an array
  const double* parameters;
};

class TileGroup {
 public:
  static constexpr int64_t kTile = 512;
  static constexpr int kMostNodes = 16;

  TileGroup(const Output& shape) : shape_(shape) {}
  bool fits(const Output& o) const { return o.dtype == shape_.dtype && equal(o.sizes(), shape_.sizes()); }
  int64_t item() const { return static_cast<int64_t>(size_of(shape_.dtype)); }
  int64_t numel() const { return count(shape_.sizes()); }
  const Output& shape() const { return shape_; }

  // A tile filled with one value, for numbers among a node's inputs.
  const char* constant(double value);
  // Adds a node whose rule has agreed; `gradient` is what reached it from outside the group, or a null handle.
  void add(Node* n, std::vector<TileTerm> terms, Tensor gradient);
  int size() const { return static_cast<int>(members_.size()); }
  Node* node(int i) const { return members_[static_cast<size_t>(i)].node; }
  bool contains(Node* n) const { return find(n) >= 0; }

  // Runs it. What flows to `edge` outside the group is added to sum(edge), in place, when that is not null; all else is
  // handed to give(edge, gradient) afterwards, in the order in which it arose.
  void run(const GradientSums& sums, const std::function<void(Edge, Tensor)>& give);

 private:
  struct Member {
    Node* node;
    std::vector<TileTerm> terms;
    std::vector<int> targets;  // by term: a slot
    Tensor gradient;           // from outside
  };
  // Where gradients meet: the members' outputs first, then what lies outside.
  struct Slot {
    Edge edge;
    Tensor start;           // what it held before
    Tensor result;          // for slots outside: where the sum goes
    const char* repeated;   // a tile of the one value that `start` repeats, or null
    bool is_alone = false;  // one gradient of several for that edge, which the engine adds
  };
  struct Tiles;  // one thread's working memory

  int find(Node* n) const;
  bool has_its_shape(const Tensor& t) const;
  bool is_added_outside(Edge e, const GradientSums::Sum& sum) const;
  int slot_of(Edge e, const GradientSums& sums);
  void connect(const GradientSums& sums);
  void run_range(int64_t begin, int64_t end) const;
  void run_tile(int64_t at, int64_t n, Tiles& tiles) const;
  const char* input(const char* data, int64_t at, int64_t n) const;
  void run_term(const TileTerm& term, int target, const char* g, int64_t at, int64_t n, Tiles& tiles) const;

  const Output& shape_;
  std::vector<Member> members_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<char[]>> constants_;
};

// What a gradient function offers that can run on tiles: the terms of a node, or false when this node cannot (an input
// that is broadcast, not contiguous, or overwritten since).
using TileRule = bool (*)(Node* n, TileGroup& group, std::vector<TileTerm>& terms);

}  // namespace chainrule
