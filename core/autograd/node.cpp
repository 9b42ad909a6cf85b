// Making, saving into, and freeing nodes; freeing is iterative so that a chain of a million nodes can die.
#include "autograd/node.hpp"

#include "autograd/forward_mode.hpp"
#include "autograd/node_error.hpp"
#include "autograd/record.hpp"
#include "autograd/saved_hooks.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

std::vector<NamedFormula>& formulas() {
  static std::vector<NamedFormula> list;  // operations of other files come before this file's own statics
  return list;
}

// Nodes whose count fell to zero, linked through `sequence` until the outermost dealloc has freed them.
Node* dying = nullptr;
bool draining = false;

void clear_edges(Node* n) {
  for (int i = 0; i < n->edge_count; ++i) {
    PyObject* target = n->edges[i].object();
    n->edges[i] = Edge();
    Py_XDECREF(target);
  }
}

void clear_packed(Node* n) {
  if (!n->extras) return;
  for (PackedTensor& p : std::exchange(n->extras->packed, {})) {
    Py_DECREF(p.object);
    Py_DECREF(p.unpack);
    Py_XDECREF(p.edge.object());
  }
}

void clear_extras(Node* n) {
  if (!n->extras) return;
  clear_packed(n);
  NodeExtras* e = std::exchange(n->extras, nullptr);
  Py_CLEAR(e->hooks);
  Py_CLEAR(e->prehooks);
  Py_CLEAR(e->metadata);
  Py_CLEAR(e->payload);
  Py_CLEAR(e->inner);
  for (PyObject* o : e->tensor_hooks) Py_XDECREF(o);
  for (PyObject* o : e->retained) Py_XDECREF(o);
  for (PyObject* o : e->accumulators) Py_DECREF(o);
  delete e;
}

void destroy(Node* n) {
  if (n->saved_count) release_saved(n);
  if (n->function && n->function->destroy) n->function->destroy(n->capture);
  clear_edges(n);
  clear_extras(n);
  for (int i = 0; i < n->output_count; ++i) n->outputs[i].clear();
  if (n->edges != n->inline_edges) delete[] n->edges;
  if (n->saved != n->inline_saved) delete[] n->saved;
  if (n->outputs != &n->inline_output) delete[] n->outputs;
  n->line.~SourceLine();
  --nodes_alive;
  Slab<Node>::release(n);
}

void drain() {
  draining = true;
  bool runs_code = false;
  while (Node* n = dying) {
    dying = reinterpret_cast<Node*>(n->sequence);
    runs_code |= n->extras != nullptr;
    destroy(n);
  }
  draining = false;
  if (runs_code) settle_quietly();
}

// The message that PyTorch's users know, then both lines and the way out.
[[noreturn]] void raise_overwritten(Node* n, int i) {
  Tensor t = Tensor::borrow(n->saved[i].tensor);
  const Node* maker = n->saved[i].is_output ? n : t->node;
  std::string written = describe(t->storage->written), used = describe(n->line);
  raise_about(
      n, "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.",
      facts(t.dtype()).tensor_name, "Tensor ", t.sizes(), "]",
      maker ? ", which is output " + std::to_string(t->output_number) + " of " + forward_name(maker) + ","
            : std::string(),
      " is at version ", t->storage->version, "; expected version ", n->saved[i].version, " instead.\n",
      "  The value was used here:        ", used.empty() ? "(unknown line)" : used, "   [", n->op->node_name, "]\n",
      "  It was overwritten here:        ", written.empty() ? "(unknown line)" : written, "\n",
      t->was_relaid(n->sequence) ? "  It was given another shape or dtype since (x.data = ..., x.resize_(...)).\n" : "",
      "  What to do: on the second line make a new tensor in place of writing into this one (x = x + 1, not x += 1), "
      "or give the first line a copy (x.clone()).");
}

}  // namespace

OpInfo::OpInfo(const char* name, const char* node_name, const char* formula, bool frees_operands)
    : name(name), node_name(node_name), formula(formula), frees_operands(frees_operands) {
  formulas().push_back({name, formula});
}

std::span<const NamedFormula> known_formulas() { return formulas(); }

int64_t live_nodes() { return nodes_alive; }
uint64_t last_node_number() { return next_sequence - 1; }

void Output::copy_long_sizes(const Tensor& t) {
  heap_sizes = new int64_t[ndim];
  std::copy_n(t->sizes(), ndim, heap_sizes);
}

std::string forward_name(const Node* n) {
  std::string name = n->op->node_name;
  size_t at = name.rfind("Backward");
  if (at == std::string::npos) return name;
  std::string variant = name.substr(at + 8);
  return name.substr(0, at) + (variant == "0" ? "" : variant);
}

void rename_node(Node* n, OpInfo& op) {
  n->op = &op;
  n->ob_base.ob_type = type_of(op);  // a node holds no reference to its type
}

Node* make_node(OpInfo* op, int edges, int saved, int outputs) {
  Node* n = make_inline_node(op, 0, 0);
  reserve_edges(n, edges);
  reserve_saved(n, saved);
  reserve_outputs(n, outputs);
  return n;
}

void reserve_edges(Node* n, int count) {
  n->edge_count = count;
  n->edges = count <= 3 ? n->inline_edges : new Edge[count];
  for (int i = 0; i < count; ++i) n->edges[i] = Edge();
}

void reserve_saved(Node* n, int count) {
  if (static_cast<uint32_t>(count) > kMostSaved)
    raise(PyExc_RuntimeError, "a node keeps at most ", kMostSaved, " tensors, got ", count);
  n->saved_count = static_cast<uint32_t>(count) & kMostSaved;
  n->saved = count <= 3 ? n->inline_saved : new SavedTensor[count];
  for (int i = 0; i < count; ++i) n->saved[i] = {nullptr, 0, false};
}

void reserve_outputs(Node* n, int count) {
  n->output_count = count;
  n->outputs = count <= 1 ? &n->inline_output : new Output[count];
  for (int i = 0; i < count; ++i) {
    n->outputs[i].dtype = DType::Float32;
    n->outputs[i].ndim = 0;
    n->outputs[i].pending = nullptr;
  }
}

NodeExtras* extras(Node* n) {
  if (!n->extras) n->extras = new NodeExtras();
  return n->extras;
}

namespace {

void check_savable(Node* n, const Tensor& t) {
  if (!t->storage->inference) [[likely]]
    return;
  Py_DECREF((PyObject*)n);  // it will not be finished
  raise(PyExc_RuntimeError,
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
}

}  // namespace

void save_input(Node* n, int i, const Tensor& t) {
  check_savable(n, t);
  if (packs_saved) [[unlikely]]
    return pack_saved(n, i, t, false);
  n->saved[i] = {Tensor(t).release(), t->storage->version, false};
}

void save_output(Node* n, int i, const Tensor& t, int output_number) {
  check_savable(n, t);
  if (packs_saved) [[unlikely]]
    return pack_saved(n, i, t, true, output_number);
  Tensor kept = alias(t);
  kept->output_number = static_cast<uint32_t>(output_number);
  n->saved[i] = {kept.release(), t->storage->version, true};
}

void release_saved(Node* n) {
  if (n->op->frees_operands) n->flags |= kReleased;
  for (int i = 0; i < n->saved_count; ++i) {
    if (!n->saved[i].tensor) continue;
    n->flags |= kReleased;
    Py_CLEAR(n->saved[i].tensor);
  }
  if (!n->extras) return;
  if (!n->extras->packed.empty()) {
    n->flags |= kReleased;
    clear_packed(n);
  }
  // As PyTorch's CopySlices, which drops what it wraps. Here that lives on: the output that it saved leads back to it,
  // so the same pass may still reach it.
  if (n->extras->inner) n->flags |= kReleased;
}

bool has_saved(const Node* n, int i) { return n->saved[i].tensor || find_packed(n, i); }

void raise_released(Node* n) {
  raise_about(
      n,
      "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
      "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
      "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
      "saved tensors after calling backward.\n  The part that was used twice was made here: ",
      describe(n->line), "   [", n->op->node_name,
      "]\n  If that line runs once before a loop that calls backward() in each turn, move it inside the loop, or "
      "detach() "
      "its result.");
}

Tensor unpack(Node* n, int i) {
  const SavedTensor& s = n->saved[i];
  if (!s.tensor) [[unlikely]] {
    if (const PackedTensor* packed = find_packed(n, i)) return unpack_saved(n, *packed);
    raise_released(n);
  }
  if (!is_as_saved(n, s)) [[unlikely]] {
    if (!was_detached(n, s)) raise_overwritten(n, i);
    raise(PyExc_RuntimeError,
          "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This is not supported, "
          "please use out-of-place `.detach()` instead");
  }
  if (!s.is_output || !grad_enabled()) return Tensor::borrow(s.tensor);
  // Reattached to this node, so that derivatives of derivatives see where the value came from.
  Tensor kept = Tensor::borrow(s.tensor), t = alias(kept);
  if (forward_mode::active() && forward_mode::has_tangent(kept.get()))
    forward_mode::set_tangent(t, forward_mode::tangent(kept));
  attach(t, n, static_cast<int>(s.tensor->output_number));
  return t;
}

int node_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* n = reinterpret_cast<Node*>(self);
  for (int i = 0; i < n->edge_count; ++i) Py_VISIT(n->edges[i].object());
  for (int i = 0; i < n->saved_count; ++i) Py_VISIT((PyObject*)n->saved[i].tensor);
  for (int i = 0; i < n->output_count; ++i) Py_VISIT((PyObject*)n->outputs[i].pending);
  if (NodeExtras* e = n->extras) {
    Py_VISIT(e->hooks);
    Py_VISIT(e->prehooks);
    Py_VISIT(e->metadata);
    Py_VISIT(e->payload);
    Py_VISIT((PyObject*)e->inner);
    for (PyObject* o : e->tensor_hooks) Py_VISIT(o);
    for (PyObject* o : e->retained) Py_VISIT(o);
    for (PyObject* o : e->accumulators) Py_VISIT(o);
    for (PackedTensor& p : e->packed) {
      Py_VISIT(p.object);
      Py_VISIT(p.unpack);
      Py_VISIT(p.edge.object());
    }
  }
  return 0;
}

int node_clear(PyObject* self) {
  auto* n = reinterpret_cast<Node*>(self);
  clear_edges(n);
  release_saved(n);
  clear_extras(n);
  return 0;
}

void node_dealloc(PyObject* self) {
  auto* n = reinterpret_cast<Node*>(self);
  if (gc::is_tracked(self)) gc::untrack(self);
  n->sequence = reinterpret_cast<uint64_t>(dying);
  dying = n;
  if (!draining) drain();
}

}  // namespace chainrule
