// A recorded operation: what it was, what it read, what it saved, and how to turn gradients of its outputs into
// gradients of its inputs.
#pragma once
#include <Python.h>

#include <new>
#include <span>
#include <vector>

#include "autograd/source_line.hpp"
#include "tensor/error.hpp"
#include "tensor/slab.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// One per operation, static: the names that PyTorch gives it and the formula that explains it.
struct OpInfo {
  OpInfo() = default;
  OpInfo(const char* name, const char* node_name, const char* formula, bool frees_operands = false);

  const char* name = nullptr;       // "sum"
  const char* node_name = nullptr;  // "SumBackward0"
  const char* formula = nullptr;    // in words or symbols: "g expanded to the shape of x"
  PyTypeObject* type = nullptr;     // of its nodes, made on first use so that type(grad_fn).__name__ is node_name
  uint8_t hidden_edges = 0;         // inputs, as bits, that PyTorch's node does not list in next_functions
  bool frees_operands = false;      // PyTorch keeps operands that we do not need, and frees them with the graph
};

// The names and formulas of all operations, in the order in which they were made known: help() tells them.
struct NamedFormula {
  const char *name, *formula;
};
std::span<const NamedFormula> known_formulas();

// Where a gradient goes: an output of a node, or a leaf tensor (which needs no node of its own). Empty: nowhere.
class Edge {
 public:
  Edge() = default;
  static Edge to(Node* node, uint32_t output_number) {
    Edge e;
    e.bits_ = reinterpret_cast<uintptr_t>(node);
    e.output_number_ = output_number;
    return e;
  }
  static Edge to_leaf(TensorObject* leaf) {
    Edge e;
    e.bits_ = reinterpret_cast<uintptr_t>(leaf) | 1;
    return e;
  }
  explicit operator bool() const { return bits_ != 0; }
  bool is_leaf() const { return bits_ & 1; }
  Node* node() const { return reinterpret_cast<Node*>(bits_); }
  TensorObject* leaf() const { return reinterpret_cast<TensorObject*>(bits_ & ~uintptr_t{1}); }
  PyObject* object() const { return reinterpret_cast<PyObject*>(bits_ & ~uintptr_t{1}); }
  uint32_t output_number() const { return output_number_; }
  bool operator==(const Edge& o) const { return bits_ == o.bits_ && output_number_ == o.output_number_; }

 private:
  uintptr_t bits_ = 0;  // strong when stored in a node
  uint32_t output_number_ = 0;
};

// A tensor kept for backward and the version it had; see tensor/storage.hpp.
struct SavedTensor {
  TensorObject* tensor;  // strong; for an output an alias without history, else a node would own itself
  uint32_t version;
  bool is_output;
};

// What a pack hook made of a saved tensor; see saved_hooks.hpp. The references are strong.
struct PackedTensor {
  PyObject *object, *unpack;
  Edge edge;  // where the gradient of the tensor goes
  int slot;   // its place among the saved tensors
  uint32_t output_number;
  bool is_output;
};

// Shape and dtype of an output, and the gradient gathered for it during a backward pass.
struct Output {
  DType dtype;
  uint8_t ndim;
  union {
    int64_t inline_sizes[5];
    int64_t* heap_sizes;
  };
  TensorObject* pending;  // strong

  Span sizes() const { return {ndim <= 5 ? inline_sizes : heap_sizes, ndim}; }
  void describe(const Tensor& t) {
    dtype = t->dtype;
    ndim = t->ndim;
    pending = nullptr;
    if (ndim > 5) [[unlikely]]
      return copy_long_sizes(t);
    std::memcpy(inline_sizes, t->inline_dims, sizeof inline_sizes);  // all five: cheaper than counting
  }
  void clear() {
    Py_CLEAR(pending);
    if (ndim > 5) delete[] heap_sizes;
    ndim = 0;
  }

 private:
  void copy_long_sizes(const Tensor& t);
};
static_assert(TensorObject::kInlineDims == 5);

class Backward;
struct Kept;
class GradientChain;
struct GradientTerm;

// A gradient function with its captured values, stored inside the node.
struct GradientFunction {
  void (*invoke)(void* capture, Backward& backward);
  void (*destroy)(void* capture);  // null: there is nothing to do
  bool (*offer_terms)(Node*, GradientChain&,
                      std::vector<GradientTerm>&);              // null unless elementwise; see Note [Gradient chains]
  void (*show)(void* capture, Backward& backward, Kept& kept);  // null: shows nothing; see autograd/kept.hpp
};

// What few nodes have.
struct NodeExtras {
  PyObject* hooks = nullptr;            // dict: after the gradient function, (grad_inputs, grad_outputs)
  PyObject* prehooks = nullptr;         // dict: before it, (grad_outputs,)
  PyObject* metadata = nullptr;         // dict for the user
  std::vector<PyObject*> tensor_hooks;  // strong: the hook dicts of outputs, by output number (null: none)
  std::vector<PyObject*> retained;      // weak references to outputs that retain their gradient
  PyObject* payload = nullptr;  // strong: for nodes written in Python, their context; for AccumulateGrad, its leaf
  Node* inner = nullptr;        // strong: the operation that CopySlices wraps
  std::vector<PyObject*>
      accumulators;  // strong: AccumulateGrad nodes that were seen in next_functions, for their hooks
  std::vector<PackedTensor> packed;
};

enum NodeFlag : uint8_t { kReleased = 1, kQueued = 2 };
inline constexpr uint32_t kMostSaved = (1u << 24) - 1;

struct Node {
  PyObject_HEAD
  const OpInfo* op;
  const GradientFunction* function;
  uint64_t sequence;  // taken after the edges exist, so that a node outranks all it depends on
  SourceLine line;
  uint32_t run;  // the backward pass that touched it last
  int edge_count, output_count;
  uint32_t saved_count : 24;  // with the flags in one word
  uint8_t flags;
  Edge* edges;
  SavedTensor* saved;
  Output* outputs;
  NodeExtras* extras;
  Edge inline_edges[3];
  SavedTensor inline_saved[3];
  Output inline_output;
  static constexpr size_t kCapture = 64;
  alignas(16) char capture[kCapture];
};

extern PyTypeObject NodeType;                    // base of all nodes' types; filled in by the bindings
PyTypeObject* make_node_type(const char* name);  // in the bindings
PyTypeObject* make_node_type(const char* name, PyTypeObject* base);

inline PyTypeObject* type_of(OpInfo& op) {
  if (!op.type) [[unlikely]]
    op.type = make_node_type(op.node_name);
  return op.type;
}

// A new node without edges. `outputs` is 1 for nearly all.
Node* make_node(OpInfo* op, int edges, int saved, int outputs);
NodeExtras* extras(Node* n);
void rename_node(Node* n, OpInfo& op);    // shows it as a node of another operation
std::string forward_name(const Node* n);  // "Add" for AddBackward0, "Sum1" for SumBackward1

inline int64_t nodes_alive = 0;

// As make_node, for one output and counts that find room in the node itself; inline, since elementwise operations make
// so many. The caller fills in all edges and saved tensors.
inline Node* make_inline_node(OpInfo* op, int edges, int saved) {
  Node* n = Slab<Node>::allocate(type_of(*op));
  n->op = op;
  n->function = nullptr;
  new (&n->line) SourceLine();
  n->run = 0;
  n->edge_count = edges;
  n->output_count = 1;
  n->saved_count = static_cast<uint32_t>(saved) & kMostSaved;
  n->flags = 0;
  n->edges = n->inline_edges;
  n->saved = n->inline_saved;
  n->outputs = &n->inline_output;
  n->outputs->ndim = 0;
  n->outputs->pending = nullptr;
  n->extras = nullptr;
  ++nodes_alive;
  return n;
}

// Gives it its number and line, and lets the collector see it.
inline void finish_node(Node* n) {
  n->sequence = next_sequence++;
  n->line = current_line();
  gc::track(n);
}

// For a node whose counts are known only after it was made; it must have none so far.
void reserve_edges(Node* n, int count);
void reserve_saved(Node* n, int count);
void reserve_outputs(Node* n, int count);
inline void set_edge(Node* n, int i, Edge e) {  // takes a new reference
  Py_XINCREF(e.object());
  n->edges[i] = e;
}
void save_input(Node* n, int i, const Tensor& t);
void save_output(Node* n, int i, const Tensor& t, int output_number = 0);
bool has_saved(const Node* n, int i);  // false: nothing was given for this one
// Releases saved tensors and captured values after the node has run for the last time.
void release_saved(Node* n);
// The saved tensor, checked against later writes; raises PyTorch's error with both lines.
Tensor unpack(Node* n, int i);
// Whether what was saved is still what it was then: not overwritten, not given another layout, not detached in place.
inline bool was_detached(const Node* n, const SavedTensor& s) {
  return s.tensor->has(kDetached) && s.tensor->extras->detached_at > n->sequence;
}
inline bool is_as_saved(const Node* n, const SavedTensor& s) {
  return s.version == s.tensor->storage->version && !s.tensor->was_relaid(n->sequence) && !was_detached(n, s);
}
[[noreturn]] void raise_released(Node* n);

template <class F>
void set_function(Node* n, F f) {
  constexpr bool shows = std::is_invocable_v<F&, Backward&, Kept*>;
  struct Holder {
    static F& function_in(void* capture) {
      if constexpr (sizeof(F) <= Node::kCapture)
        return *static_cast<F*>(capture);
      else
        return **static_cast<F**>(capture);
    }
    static void invoke(void* capture, Backward& b) {
      if constexpr (shows)
        function_in(capture)(b, nullptr);
      else
        function_in(capture)(b);
    }
    static void show(void* capture, Backward& b, Kept& kept) {
      if constexpr (shows) function_in(capture)(b, &kept);
    }
    static void destroy(void* capture) {
      if constexpr (sizeof(F) <= Node::kCapture)
        static_cast<F*>(capture)->~F();
      else
        delete *static_cast<F**>(capture);
    }
  };
  static constexpr GradientFunction function = [] {
    constexpr bool plain = std::is_trivially_destructible_v<F> && sizeof(F) <= Node::kCapture;
    GradientFunction g{&Holder::invoke, plain ? nullptr : &Holder::destroy, nullptr, shows ? &Holder::show : nullptr};
    if constexpr (requires { F::offer_terms; }) g.offer_terms = &F::offer_terms;
    return g;
  }();
  if constexpr (sizeof(F) <= Node::kCapture)
    new (n->capture) F(std::move(f));
  else
    *reinterpret_cast<F**>(n->capture) = new F(std::move(f));
  n->function = &function;
}

void node_dealloc(PyObject* self);
int node_traverse(PyObject* self, visitproc visit, void* arg);
int node_clear(PyObject* self);
int64_t live_nodes();
uint64_t last_node_number();

}  // namespace chainrule
