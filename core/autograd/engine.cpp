// Runs nodes from the newest to the oldest: a node's number is higher than that of everything it depends on, so no
// dependency pass is needed. Iterative, on the caller's thread.
#include "autograd/engine.hpp"

#include <algorithm>
#include <functional>

#include "autograd/anomaly.hpp"
#include "autograd/gradient_chain.hpp"
#include "autograd/hooks.hpp"
#include "autograd/leaf.hpp"
#include "autograd/private_buffer.hpp"
#include "autograd/run.hpp"
#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/python_call.hpp"
#include "tensor/sparse.hpp"
#include "tensor/thresholds.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {
namespace {

uint32_t last_run = 0;
Buffers spare;
thread_local Run* running = nullptr;

bool older(const Node* a, const Node* b) { return a->sequence < b->sequence; }

}  // namespace

Tensor fit(Tensor gradient, DType dtype, Span sizes) {
  if (!equal(gradient.sizes(), sizes)) gradient = sum_to(gradient, sizes);
  if (gradient.dtype() != dtype) gradient = cast_gradient(gradient, dtype);
  return gradient;
}

void accumulate(TensorObject*& sum, Tensor gradient) {
  if (!sum) {
    sum = gradient.release();
    return;
  }
  LockKeptScope kept;  // until the sum is in its place again
  sum = add_gradients(Tensor::steal(std::exchange(sum, nullptr)), std::move(gradient)).release();
}

Run::Run(BackwardOptions options, bool accumulate_leaves)
    : id_(++last_run), options_(options), leaves_(accumulate_leaves) {
  std::swap(buffers_, spare);
}

Run::~Run() {
  clean_up();
  std::swap(buffers_, spare);
}

void Run::add_root(const Tensor& output, Tensor gradient) {
  Edge edge = gradient_edge(output);
  Py_INCREF(edge.object());  // a hook may give the output another history while we walk this one
  buffers_.roots.emplace_back(edge, std::move(gradient));
}

void Run::select(std::span<const Tensor> inputs) {
  selective_ = true;
  for (const Tensor& t : inputs) {
    buffers_.keep.push_back(t);
    captures_.push_back({gradient_edge(t), captures_.size(), Tensor()});
  }
  std::ranges::sort(captures_, std::less(), [](const Capture& c) { return c.edge.object(); });
}

std::span<const Run::Capture> Run::captures_at(const PyObject* object) const {
  auto found =
      std::ranges::equal_range(captures_, object, std::less(), [](const Capture& c) { return c.edge.object(); });
  return {found.begin(), found.end()};
}
std::span<Run::Capture> Run::captures_at(const PyObject* object) {
  auto found = std::as_const(*this).captures_at(object);
  return {captures_.data() + (found.data() - captures_.data()), found.size()};
}

bool Run::captured(Edge edge) const {
  return std::ranges::any_of(captures_at(edge.object()), [&](const Capture& c) { return c.edge == edge; });
}

bool Run::leads_to_input(Edge edge) const {
  return captured(edge) || (!edge.is_leaf() && needed_.contains(edge.node()));
}

std::vector<Node*> Run::reachable_from(std::vector<Node*> stack) {
  std::unordered_set<Node*> seen;
  std::vector<Node*> found;
  while (!stack.empty()) {
    Node* n = stack.back();
    stack.pop_back();
    if (!seen.insert(n).second) continue;
    found.push_back(n);
    for (int i = 0; i < n->edge_count; ++i) {
      if (Edge e = n->edges[i]; e && !e.is_leaf() && !seen.contains(e.node())) stack.push_back(e.node());
    }
  }
  return found;
}

std::vector<Node*> Run::reachable() const {
  std::vector<Node*> roots;
  for (const auto& root : buffers_.roots) {
    if (!root.first.is_leaf()) roots.push_back(root.first.node());
  }
  return reachable_from(std::move(roots));
}

// Oldest first: a node is needed if one of its edges is captured or leads to a needed node.
void Run::mark_needed() {
  std::vector<Node*> order = reachable();
  std::sort(order.begin(), order.end(), older);
  for (Node* n : order) {
    for (int i = 0; i < n->edge_count; ++i) {
      Edge e = n->edges[i];
      if (e && leads_to_input(e)) needed_.insert(n);
    }
  }
}

void Run::deliver_aside(Edge edge, Tensor gradient) {
  Node* n = edge.node();
  std::vector<Tensor>& pending = aside_.nodes[n];
  if (pending.empty()) {
    pending.resize(n->output_count);
    enqueue(n);
  }
  Tensor& sum = pending[edge.output_number()];
  if (!gradient) return;
  sum = sum ? add_gradients(std::move(sum), std::move(gradient)) : std::move(gradient);
}

void Run::take_pending(Node* n, Tensor* gradients) {
  if (!aside_.nodes.empty()) {
    if (auto found = aside_.nodes.extract(n)) {
      std::move(found.mapped().begin(), found.mapped().end(), gradients);
      return;
    }
  }
  n->flags &= ~kQueued;
  for (int i = 0; i < n->output_count; ++i) {
    gradients[i] = Tensor::steal(std::exchange(n->outputs[i].pending, nullptr));
  }
}

void Run::enqueue(Node* n) {
  buffers_.heap.push_back(n);
  if (buffers_.heap.size() > 1) std::push_heap(buffers_.heap.begin(), buffers_.heap.end(), older);
}

void Run::deliver(Edge edge, Tensor gradient) {
  if (edge.is_leaf()) return deliver_leaf(edge.leaf(), std::move(gradient));
  Node* n = edge.node();
  if (!wants(edge)) return;
  Output& output = n->outputs[edge.output_number()];
  if (gradient) gradient = fit(std::move(gradient), output.dtype, output.sizes());
  bool taken = (n->flags & kQueued) && n->run != id_;
  if (taken || (!aside_.nodes.empty() && aside_.nodes.contains(n))) return deliver_aside(edge, std::move(gradient));
  if (gradient) accumulate(output.pending, std::move(gradient));
  if (n->flags & kQueued) return;
  n->flags |= kQueued;
  n->run = id_;
  enqueue(n);
}

GradientSums::Sum Run::gathered(Edge edge) const {
  if (!edge || options_.create_graph) return {};
  if (edge.is_leaf()) return gathered_by_leaf(edge.leaf());
  Node* n = edge.node();
  if (auto aside = aside_.nodes.find(n); aside != aside_.nodes.end()) return {aside->second[edge.output_number()]};
  if (!(n->flags & kQueued) || n->run != id_) return {};
  TensorObject* sum = n->outputs[edge.output_number()].pending;
  if (!sum || is_kept_by_python(sum)) return {};
  const bool writable = is_private(sum);
  return {Tensor::borrow(sum), writable};
}

namespace {

// Python may have laid a gradient out anew; see Note [Tensors laid out anew].
void check_layout(const Tensor& g, const Output& output) {
  if (!g || !g->was_relaid(0)) [[likely]]
    return;
  check(equal(g.sizes(), output.sizes()), "a gradient has changed its size in place (was ", output.sizes(), " got ",
        g.sizes(), ")");
  check(g.dtype() == output.dtype, "a gradient has changed its type in place (was torch.", facts(output.dtype).name,
        " got torch.", facts(g.dtype()).name, ")");
}

// The core's gradient functions know no sparse tensors; see Note [Sparse tensors].
void make_dense(Tensor* gradients, int count) {
  for (int i = 0; i < count; ++i) {
    if (is_sparse(gradients[i])) gradients[i] = call_sparse("dense", gradients[i]);
  }
}

void call(Node* n, Backward& backward) {
  if (anomaly.enabled) [[unlikely]]
    invoke_watched(n, backward);
  else
    n->function->invoke(n->capture, backward);
}

}  // namespace

void Run::run_node(Node* n) {
  Tensor inline_gradient[1];
  std::vector<Tensor> many(n->output_count > 1 ? n->output_count : 0);
  Tensor* gradients = n->output_count > 1 ? many.data() : inline_gradient;
  take_pending(n, gradients);
  if (n->extras || (n->flags & kCalledWithNone)) [[unlikely]]
    show_complete_gradients(n->sequence + 1);
  LineScope line(n->line);
  // As in PyTorch, hooks act on a captured gradient only where the pass ends. backward(inputs=...) runs the node of an
  // input as well.
  bool goes_on = !selective_ || leaves_ || needed_.contains(n), hooks_first = !goes_on || leaves_;
  if (n->extras && hooks_first) run_output_hooks(n, gradients);
  if (selective_) {
    for (Capture& c : captures_at((PyObject*)n)) c.gradient = gradients[c.edge.output_number()];
  }
  if (!goes_on) return;
  if (n->extras) {
    if (!hooks_first) run_output_hooks(n, gradients);
    run_before(n, gradients);
  }
  if (n->flags & kReleased) raise_released(n);
  bool hooked = n->extras && n->extras->hooks;
  Backward backward(n, gradients, this, hooked || anomaly.enabled);
  std::vector<Tensor> seen;  // the function may give the gradients' buffers away, but hooks want to see them
  if (hooked) seen.assign(gradients, gradients + n->output_count);
  for (int i = 0; i < n->output_count; ++i) check_layout(gradients[i], n->outputs[i]);
  bool arrived = std::any_of(gradients, gradients + n->output_count, [](const Tensor& g) { return bool(g); });
  if (sparse_tensors > 0 && !(n->flags & kCalledWithNone)) make_dense(gradients, n->output_count);
  if (arrived || (n->flags & kCalledWithNone)) [[likely]]  // see autograd/engine.hpp
    call(n, backward);
  if (hooked) run_after(n, backward, seen.data());
  if (!options_.retain_graph) release_saved(n);
  for (int i = 0; i < n->edge_count; ++i) {
    if (n->edges[i]) deliver(n->edges[i], std::move(backward.result(i)));
  }
}

// The same where its gradients are. Chains of several nodes are for the CPU.
void Run::run_node_there(Node* n) {
  Device device = Storage::making.device;
  for (int i = n->output_count; i-- > 0;) {
    if (const TensorObject* gradient = n->outputs[i].pending) device = gradient->storage->device;
  }
  CallScope call(forward_name(n) + " backward");
  DeviceScope there(device);
  if (device != Device::CPU || !n->function->offer_terms || !run_chain(n)) run_node(n);
}

// Whether a node can join: elementwise, of the chain's shape, and nobody watches it.
bool Run::may_join(Node* n, GradientChain& chain, std::vector<GradientTerm>& terms) const {
  bool plain = n->function && n->function->offer_terms && !n->extras && n->output_count == 1 && !(n->flags & kReleased);
  if (!plain || ((n->flags & kQueued) && n->run != id_) || aside_.nodes.contains(n)) return false;
  if (!chain.fits(n->outputs[0]) || !n->function->offer_terms(n, chain, terms)) return false;
  // The hooks of a leaf are called when the last of its readers has run, which the chain's end would hide.
  for (const GradientTerm& t : terms) {
    if (Edge e = n->edges[t.input]; e.is_leaf() && is_watched(e.leaf())) return false;
  }
  const Tensor pending = Tensor::borrow((n->flags & kQueued) ? n->outputs[0].pending : nullptr);
  if (!pending) return true;
  if (pending->was_relaid(0) || is_kept_by_python(pending)) return false;
  if (pending.is_contiguous()) return true;
  return std::all_of(pending.strides().begin(), pending.strides().end(), [](int64_t s) { return s == 0; });
}

// Runs `first` and the nodes that would follow it, as far as they can be one chain. See Note [Gradient chains].
bool Run::run_chain(Node* first) {
  const Output& shape = first->outputs[0];
  if (!shape.pending || shape.pending->numel < thresholds.gradient_chain || is_kept_by_python(shape.pending))
    return false;
  if (options_.create_graph || selective_ || anomaly.enabled ||
      (shape.dtype != DType::Float32 && shape.dtype != DType::Float64))
    return false;
  GradientChain chain(shape);
  std::vector<Node*> ahead{first};  // reached by the chain, not yet in it
  std::vector<Node*>& heap = buffers_.heap;
  while (!ahead.empty() && chain.size() < GradientChain::kMostNodes) {
    auto newest = std::max_element(ahead.begin(), ahead.end(), older);
    bool from_heap = !heap.empty() && older(*newest, heap.front());
    Node* next = from_heap ? heap.front() : *newest;
    std::vector<GradientTerm> terms;
    if ((from_heap && !next->outputs[0].pending) || !may_join(next, chain, terms)) break;
    if (from_heap) {
      std::pop_heap(heap.begin(), heap.end(), older);
      heap.pop_back();
    }
    std::erase(ahead, next);
    Tensor pending[1];
    if (next->flags & kQueued) take_pending(next, pending);
    for (const GradientTerm& t : terms) {
      Edge e = next->edges[t.input];
      bool queued = !e.is_leaf() && (e.node()->flags & kQueued);
      if (!e.is_leaf() && !queued && !chain.contains(e.node()) &&
          std::find(ahead.begin(), ahead.end(), e.node()) == ahead.end()) {
        ahead.push_back(e.node());
      }
    }
    chain.add(next, std::move(terms), std::move(pending[0]));
  }
  if (chain.size() == 0) return false;
  chain.run(*this, [this](Edge e, Tensor g) { deliver(e, std::move(g)); });
  for (int i = 0; i < chain.size(); ++i) {
    if (!options_.retain_graph) release_saved(chain.node(i));
  }
  return true;
}

// Whether a gradient can flow from the outputs to something else than the inputs, what was recorded after `since` and
// leaves that were made in this transform; its arguments count as made in it, but were there before.
bool reaches_beyond(std::span<const Tensor> outputs, std::span<const Tensor> inputs, uint64_t since, uint32_t transform,
                    std::span<const Tensor> arguments) {
  auto is_older = [&](TensorObject* leaf) {
    return leaf->storage->made_in < transform ||
           std::any_of(
               arguments.begin(), arguments.end(), [&](const Tensor& a) { return a->storage == leaf->storage; });
  };
  std::unordered_set<Node*> seen;
  std::vector<Edge> inside, stack;
  for (const Tensor& t : inputs) inside.push_back(gradient_edge(t));
  for (const Tensor& t : outputs) stack.push_back(gradient_edge(t));
  while (!stack.empty()) {
    Edge e = stack.back();
    stack.pop_back();
    if (!e || std::find(inside.begin(), inside.end(), e) != inside.end()) continue;
    if (e.is_leaf() && !e.leaf()->has(kRequiresGrad)) continue;  // it has a tangent only
    if (e.is_leaf() ? is_older(e.leaf()) : e.node()->sequence <= since) return true;
    if (e.is_leaf()) continue;
    if (!seen.insert(e.node()).second) continue;
    stack.insert(stack.end(), e.node()->edges, e.node()->edges + e.node()->edge_count);
  }
  return false;
}

bool Run::reaches(Edge edge) {
  if (!wants(edge)) return false;
  for (const auto& root : buffers_.roots) {
    if (root.first == edge) return true;
  }
  for (Node* n : reachable()) {
    if (std::find(n->edges, n->edges + n->edge_count, edge) != n->edges + n->edge_count) return true;
  }
  return false;
}

void Run::execute() {
  GradModeScope recording(options_.create_graph);
  struct Current {
    Run* previous;
    explicit Current(Run* run) : previous(std::exchange(running, run)) {}
    ~Current() { running = previous; }
  } current(this);
  if (selective_ && !knows_needed_) mark_needed();
  for (auto& [edge, gradient] : buffers_.roots) deliver(edge, std::move(gradient));
  std::vector<Node*>& heap = buffers_.heap;
  Node* n = nullptr;
  try {
    for (size_t steps = 1; !heap.empty(); ++steps) {
      if (heap.size() > 1) std::pop_heap(heap.begin(), heap.end(), older);
      n = heap.back();
      heap.pop_back();
      if (storages_elsewhere) [[unlikely]]
        run_node_there(n);
      else if (!n->function->offer_terms || !run_chain(n))
        run_node(n);
      if (watched_) [[unlikely]]
        finish_complete_leaves(n);
      if (steps % 1024 == 0) from_python(PyErr_CheckSignals());
    }
  } catch (...) {
    keep_complete_leaves(n);
    throw;
  }
  finish_leaves();
  run_callbacks();
}

// A callback may queue another one.
void Run::run_callbacks() {
  if (callbacks_.empty()) return;
  LineScope own_lines{SourceLine()};
  DeviceScope here(Device::CPU);
  for (size_t i = 0; i < callbacks_.size(); ++i) Owned(from_python(PyObject_CallNoArgs(callbacks_[i].get())));
}

std::vector<Tensor> Run::take_captured() {
  std::vector<Tensor> result(captures_.size());
  for (Capture& c : captures_) result[c.input] = c.gradient;
  return result;
}

// Leaves no trace in nodes and leaves, whether we finished or an exception ended us.
void Run::clean_up() {
  for (Node* n : buffers_.heap) {
    std::vector<Tensor> dropped(n->output_count);
    take_pending(n, dropped.data());
  }
  buffers_.heap.clear();
  for (Tensor& leaf : fresh_) leaf->flags &= ~kFreshGrad;
  for (Tensor& leaf : waiting_) take_pending(leaf.get());
  for (auto& [edge, gradient] : buffers_.roots) Py_DECREF(edge.object());
  buffers_.roots.clear();
  buffers_.keep.clear();
}

uint32_t current_run() { return running ? running->id() : 0; }
bool run_selects() { return running && running->selects(); }
bool run_reaches(Edge edge) { return running && running->reaches(edge); }

void queue_callback(PyObject* function) {
  if (!running) raise(PyExc_RuntimeError, "Final callbacks can only be installed during backward pass.");
  running->queue_callback(Owned(Py_NewRef(function)));
}

std::vector<Tensor> apply_node(Node* n, std::vector<Tensor> gradients) {
  if (!n->function) raise(PyExc_RuntimeError, "a node of type ", n->op->node_name, " cannot be called");
  if (n->flags & kReleased) raise_released(n);
  if (!(n->flags & kCalledWithNone)) make_dense(gradients.data(), static_cast<int>(gradients.size()));
  Backward backward(n, gradients.data());
  n->function->invoke(n->capture, backward);
  std::vector<Tensor> results;
  for (int i = 0; i < n->edge_count; ++i) {
    Tensor& found = backward.result(i);
    Edge e = n->edges[i];
    if (found && e && e.is_leaf()) found = fit(found, e.leaf()->dtype, {e.leaf()->sizes(), e.leaf()->ndim});
    if (found && e && !e.is_leaf()) {
      const Output& target = e.node()->outputs[e.output_number()];
      found = fit(found, target.dtype, target.sizes());
    }
    results.push_back(found);
  }
  return results;
}

}  // namespace chainrule
