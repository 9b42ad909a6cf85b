// How a backward pass treats leaves: their sums, their .grad, their hooks.
#include <algorithm>

#include "autograd/hooks.hpp"
#include "autograd/private_buffer.hpp"
#include "autograd/run.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/owned.hpp"
#include "tensor/sparse.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {

bool is_watched(const TensorObject* leaf) {
  const TensorExtras* r = leaf->extras;
  return r && (r->hooks || r->post_hooks || (r->accumulator && r->accumulator->extras));
}

namespace {

// Which input of the node the leaf is.
int place(const Node* n, TensorObject* leaf) {
  return static_cast<int>(std::find(n->edges, n->edges + n->edge_count, Edge::to_leaf(leaf)) - n->edges);
}

}  // namespace

Tensor Run::take_pending(TensorObject* leaf) {
  if (auto found = aside_.leaves.extract(leaf)) return Tensor::steal(found.mapped());
  return Tensor::steal(leaf->extras->run == id_ ? std::exchange(leaf->extras->pending, nullptr) : nullptr);
}

GradientSums::Sum Run::gathered_by_leaf(TensorObject* leaf) const {
  if (auto aside = aside_.leaves.find(leaf); aside != aside_.leaves.end()) return {Tensor::borrow(aside->second)};
  if (leaves_ && leaf->has(kFreshGrad) && !is_watched(leaf) && !is_kept_by_python(leaf->grad))
    return {Tensor::borrow(leaf->grad), thresholds.reuse};
  TensorObject* sum = leaf->extras && leaf->extras->run == id_ ? leaf->extras->pending : nullptr;
  if (!sum || is_kept_by_python(sum)) return {};
  const bool writable = is_private(sum);
  return {Tensor::borrow(sum), writable};
}

void Run::deliver_leaf(TensorObject* leaf, Tensor gradient) {
  if (selective_ ? !captured(Edge::to_leaf(leaf)) : !leaves_ || !leaf->has(kRequiresGrad)) return;
  if (!gradient) return deliver_none(leaf);
  int wanted = leaf->extras ? leaf->extras->grad_dtype : TensorExtras::kOwnDType;
  DType dtype = wanted >= 0                         ? static_cast<DType>(wanted)
                : wanted == TensorExtras::kAnyDType ? gradient.dtype()
                                                    : leaf->dtype;
  gradient = fit(std::move(gradient), dtype, {leaf->sizes(), leaf->ndim});
  bool direct = leaves_ && !is_watched(leaf);
  if (direct && !leaf->grad && !has_part(leaf)) {
    leaf->flags |= kFreshGrad;
    fresh_.push_back(Tensor::borrow(leaf));
    return accumulate_leaf(leaf, std::move(gradient));
  }
  if (direct && leaf->has(kFreshGrad) && !options_.create_graph) return accumulate_leaf(leaf, std::move(gradient));
  gather(leaf, std::move(gradient));
}

// Whether this pass has gathered a part of its gradient.
bool Run::has_part(TensorObject* leaf) const {
  if (aside_.leaves.contains(leaf)) return true;
  return leaf->extras && leaf->extras->pending && leaf->extras->run == id_;
}

// The sum of this pass is formed first and then added, as PyTorch rounds.
void Run::gather(TensorObject* leaf, Tensor gradient) {
  TensorExtras* r = extras_of(leaf);
  if (r->pending && r->run == id_) return accumulate(r->pending, std::move(gradient));
  bool taken = r->pending || aside_.leaves.contains(leaf);
  TensorObject*& sum = taken ? aside_.leaves[leaf] : r->pending;
  if (!sum && !(got_none_ && waits(leaf))) waiting_.push_back(Tensor::borrow(leaf));
  watched_ |= is_watched(leaf);
  if (!taken) r->run = id_;
  accumulate(sum, std::move(gradient));
}

// Hooks are called for it all the same.
void Run::deliver_none(TensorObject* leaf) {
  if (!is_watched(leaf) || waits(leaf)) return;
  waiting_.push_back(Tensor::borrow(leaf));
  watched_ = got_none_ = true;
}

bool Run::waits(TensorObject* leaf) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Tensor& t) { return t.get() == leaf; });
}

void Run::accumulate_leaf(TensorObject* leaf, Tensor gradient) {
  if (!gradient) return;
  LockKeptScope kept;  // other threads may give the leaf gradients, too
  if (!leaf->grad) {
    gradient = options_.create_graph ? recorded_copy(gradient, Tensor::borrow(leaf))
                                     : own_gradient(std::move(gradient), Tensor::borrow(leaf));
    leaf->grad = gradient.release();
  } else if (options_.create_graph) {
    GradModeScope recording(true);
    Tensor old = Tensor::steal(std::exchange(leaf->grad, nullptr));
    leaf->grad = add_gradients(resolved(old), std::move(gradient)).release();
  } else if (is_kept_by_python(leaf->grad) || is_kept_by_python(gradient)) {
    Tensor old = Tensor::steal(std::exchange(leaf->grad, nullptr));
    leaf->grad = call_sparse("accumulated", old, gradient).release();
  } else {
    add_into(Tensor::borrow(leaf->grad), gradient);
  }
  if (options_.create_graph) track(leaf);
}

// PyTorch runs a leaf's hooks as soon as its gradient is complete, so that an optimiser step in a hook can free it. A
// leaf is complete when the oldest of the nodes that read it has run. When the first gradient arrives at a leaf with
// hooks, or user's code is about to run, we look these nodes up, by a walk that other passes are spared.
void Run::find_readers() {
  if (std::exchange(knows_readers_, true)) return;
  for (Node* n : reachable()) {
    for (int i = 0; i < n->edge_count; ++i) {
      Edge e = n->edges[i];
      if (!e || !e.is_leaf()) continue;
      auto [found, fresh] = oldest_reader_.try_emplace(e.leaf(), n->sequence);
      if (!fresh) found->second = std::min(found->second, n->sequence);
    }
  }
}

// Whether all that it gets is there when the nodes from `reached` on have run.
bool Run::is_complete(TensorObject* leaf, uint64_t reached) const {
  auto reader = oldest_reader_.find(leaf);
  return reader == oldest_reader_.end() || reader->second >= reached;
}

// User's code that runs in the middle of a pass may look at .grad, and change it. It finds there what PyTorch has by
// then: gradients that are complete, and no part of one.
void Run::show_complete_gradients(uint64_t reached) {
  if (!leaves_ || (fresh_.empty() && waiting_.empty())) return;
  find_readers();
  for (const Tensor& leaf : std::exchange(fresh_, {})) {
    leaf->flags &= ~kFreshGrad;
    if (leaf->grad && !is_complete(leaf.get(), reached))
      gather(leaf.get(), Tensor::steal(std::exchange(leaf->grad, nullptr)));
  }
  for (size_t i = 0; i < waiting_.size();) {
    Tensor leaf = waiting_[i];
    if (is_watched(leaf.get()) || !is_complete(leaf.get(), reached)) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    finish_leaf(leaf);
  }
}

void Run::finish_complete_leaves(const Node* last) {
  show_complete_gradients(last->sequence);
  find_readers();
  // Those that the last node completed go in the order of its inputs, as in PyTorch.
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [&](const Tensor& a, const Tensor& b) { return place(last, a.get()) < place(last, b.get()); });
  for (size_t i = 0; i < waiting_.size();) {
    if (!is_complete(waiting_[i].get(), last->sequence)) {
      ++i;
      continue;
    }
    Tensor leaf = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    finish_leaf(leaf);
  }
}

void Run::finish_leaf(const Tensor& leaf) {
  Tensor gradient = run_tensor_hooks(leaf->extras->hooks, take_pending(leaf.get()));
  if (!leaves_) {
    for (Capture& c : captures_at((PyObject*)leaf.get())) c.gradient = gradient;
    return;
  }
  Node* node = leaf->extras->accumulator;
  Owned keep(Py_XNewRef((PyObject*)node));
  bool hooked = node && node->extras;
  if (hooked) run_before(node, &gradient);
  bool fresh = !leaf->grad;  // the gradient itself becomes .grad, and hooks see that
  Tensor seen = hooked && !fresh ? gradient : Tensor();
  accumulate_leaf(leaf.get(), std::move(gradient));
  if (hooked && fresh && leaf->grad) seen = Tensor::borrow(leaf->grad);
  run_post_accumulate_hooks(leaf);
  if (hooked) {
    Backward nothing(node, &seen);
    run_after(node, nothing, &seen);
  }
}

// A pass that fails leaves the gradients of those leaves behind that had all of theirs, as in PyTorch: never a part of
// a sum.
void Run::keep_complete_leaves(Node* failed) {
  std::vector<Node*> left = buffers_.heap;
  left.push_back(failed);
  std::unordered_set<TensorObject*> incomplete;
  for (Node* n : reachable_from(std::move(left))) {
    for (int i = 0; i < n->edge_count; ++i) {
      if (Edge e = n->edges[i]; e && e.is_leaf()) incomplete.insert(e.leaf());
    }
  }
  for (Tensor& leaf : fresh_) {
    if (incomplete.contains(leaf.get())) Py_CLEAR(leaf->grad);
  }
  for (const Tensor& leaf : std::exchange(waiting_, {})) {
    Tensor sum = take_pending(leaf.get());
    if (leaves_ && !incomplete.contains(leaf.get()) && !is_watched(leaf.get())) accumulate_leaf(leaf.get(), sum);
  }
}

void Run::finish_leaves() {
  if (watched_) show_complete_gradients(0);
  for (const Tensor& leaf : std::exchange(waiting_, {})) finish_leaf(leaf);
}

}  // namespace chainrule
