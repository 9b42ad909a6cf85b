#include "bindings/calls/replay.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "autograd/anomaly.hpp"
#include "autograd/engine.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/saved_hooks.hpp"
#include "autograd/source_line.hpp"
#include "bindings/calls/autocast.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/deterministic.hpp"
#include "tensor/memory_order.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {

namespace { thread_local Replay* recorded_replay = nullptr; }  // namespace

Modes Modes::now() {
  const auto cpu = AutocastDevice::Cpu;
  return {grad_enabled(),     Storage::making.inference,  chainrule::autocasts(cpu),
          autocast_caches(),  chainrule::anomaly.enabled, packs_saved,
          only_deterministic, autocast_dtype(cpu),        default_dtype(),
          default_device()};
}

namespace {

// What a recording does not see through.
const char* obstacle() {
  if (vmap_depth > 0) return "is called inside vmap";
  if (Storage::transform != 0) return "is called inside a transform of torch.func";
  if (forward_mode::active()) return "is called in forward mode";
  if (packs_saved) return "is called under saved_tensors_hooks";
  if (watching) return "is watched: by a mode, a profiler or another recording";
  if (Storage::making.device != Device::CPU) return "makes tensors elsewhere than on the CPU";
  return nullptr;
}

// Whether a pass through the graph would read what was saved. Nodes that a pass has been through raise in place of
// that.
bool keeps_values(Node* from) {
  std::vector<Node*> stack{from};
  std::unordered_set<Node*> seen;
  while (!stack.empty()) {
    Node* n = stack.back();
    stack.pop_back();
    if ((n->flags & kReleased) || !seen.insert(n).second) continue;
    if (n->saved_count) return true;
    for (int i = 0; i < n->edge_count; ++i) {
      if (const Edge e = n->edges[i]; e && !e.is_leaf()) stack.push_back(e.node());
    }
  }
  return false;
}

bool is_plain(const Tensor& t) {
  return t->storage && t->storage->device == Device::CPU && !t->bits() && !is_sparse(t);
}

}  // namespace

Replay::Watched Replay::watch(const Tensor& t) {
  Watched w{t, t->storage, t->data, next_sequence, t->flags, t->storage ? t->storage->version : 0};
  w.grad = Tensor::borrow(t->grad);
  return w;
}

bool Replay::Watched::as_it_was() const {
  constexpr uint16_t kCounts = kRequiresGrad | kContiguous | kUnresolved;
  return tensor->storage == storage && tensor->data == data && !tensor->was_relaid(seen) && !tensor->node &&
         (tensor->flags & kCounts) == (flags & kCounts);
}

Replay::Replay(std::vector<Tensor> inputs, std::vector<Tensor> watched) {
  check(!recorder, "a step is being recorded already");
  settle();
  recording_ = std::make_unique<Recording>();
  modes_ = Modes::now();
  for (const Tensor& t : inputs) inputs_.push_back(watch(t));
  for (const Tensor& t : watched) watched_.push_back(watch(t));
  recorder = recording_.get();
  recorded_replay = this;
  Storage::making.recorded = true;
  ++storages_elsewhere;
  if (const char* what = obstacle()) cannot_replay(what);
}

void Replay::stop() {
  if (std::exchange(stopped_, true)) return;
  settle();
  if (recorder == recording_.get()) recorder = nullptr;
  Storage::making.recorded = false;
  --storages_elsewhere;
  recording_->blocks().close();
}

Replay::~Replay() { stop(); }

// ---- options

Replay* Replay::active() { return recorder ? recorded_replay : nullptr; }

void Replay::begin_options(PyObject* options) {
  options_ = Owned(Py_NewRef(options));
  calls_before_options_ = recording_->calls();
  recording_->options = options;
  recording_->rates_looked_up = 0;
}

void Replay::end_options() {
  Owned names(checked(PySet_New(options_.get())));
  const bool looked_up = recording_->rates_looked_up > 0 &&
                         recording_->calls() - calls_before_options_ <= recording_->rates_looked_up + 1;  // and counts
  Owned unwatched(checked(looked_up ? Py_BuildValue("(ss)", "params", "lr") : Py_BuildValue("(s)", "params")));
  Owned(from_python(PyObject_CallMethod(names.get(), "difference_update", "(O)", unwatched.get())));
  Owned watched(from_python(PySequence_Tuple(names.get())));
  guards_.add_names(options_.get(), watched.get(), false);
  recording_->options = nullptr;
  options_ = Owned();
}

// ---- what the recorded call left behind

bool Replay::finish(Watched& w) {
  const TensorObject* t = w.tensor.get();
  if (!t->storage) return true;
  w.used = recording_->uses(t->storage);
  w.writes = t->storage->version - w.version;
  if (w.used && (!is_plain(w.tensor) || t->node)) {
    recording_->refuse(t->node ? "uses a tensor that was calculated before it, and leads back there: detach() it"
                               : "uses a tensor whose elements are not its own, or elsewhere");
    return false;
  }
  if (w.used && !w.as_it_was()) {
    recording_->refuse("gives a tensor other memory, or another shape");
    return false;
  }
  w.grad_after = Tensor::borrow(t->grad);
  w.grad_used = w.grad && recording_->uses(w.grad->storage);
  if (w.grad_after.get() == w.grad.get()) return true;
  if (w.grad_after && !recording_->blocks().contains(w.grad_after->data)) {
    recording_->refuse("sets a .grad to a tensor that it did not make");
    return false;
  }
  return true;
}

bool Replay::add_output(const Tensor& t) {
  Output output{t};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (t.get() == inputs_[i].tensor.get()) output.input = static_cast<int>(i);
  }
  output.lasts = std::ranges::any_of(watched_, [&](const Watched& w) { return w.tensor.get() == t.get(); });
  const char* why = nullptr;
  if (t->base && output.input < 0 && !output.lasts && !recording_->blocks().contains(t->data))
    why = "returns a view of a tensor that it did not make";
  else if (output.input < 0 && !output.lasts && !is_plain(t))
    why = "returns a tensor that does not lie in memory as it is shown";
  else if (t->node && keeps_values(t->node) && output.input < 0 && !output.lasts)
    why = "returns a tensor whose graph is still there: call backward() inside of the step, or return y.detach()";
  else if (output.input < 0 && !output.lasts && Py_TYPE(t.py()) != &TensorType)
    why = "returns a tensor of a class of its own";
  if (why) recording_->refuse(why);
  outputs_.push_back(std::move(output));
  return !why;
}

bool Replay::finish(std::vector<Tensor> outputs) {
  stop();
  if (!(Modes::now() == modes_)) recording_->refuse("leaves a mode switched: no_grad, autocast, the default dtype");
  for (const Tensor& t : outputs) add_output(t);
  std::vector<Storage*> known;
  for (Watched& w : inputs_) {
    finish(w);
    if (w.tensor->storage) known.push_back(w.tensor->storage);
    if (w.writes) recording_->refuse("writes into its argument");
  }
  for (Watched& w : watched_) {
    finish(w);
    if (w.tensor->storage) known.push_back(w.tensor->storage);
    if (w.grad) known.push_back(w.grad->storage);
  }
  recording_->check_addresses(known);
  for (const RecordedBlock* block : recording_->blocks().in_use()) {
    auto holds = [&](const Tensor& t) { return t && t->data >= block->data && t->data < block->data + block->bytes; };
    const bool is_known = recording_->owns(*block) ||
                          std::ranges::any_of(outputs_, [&](const Output& o) { return holds(o.tensor); }) ||
                          std::ranges::any_of(watched_, [&](const Watched& w) { return holds(w.grad_after); }) ||
                          std::ranges::any_of(inputs_, [&](const Watched& w) { return holds(w.grad_after); });
    if (!is_known) recording_->refuse("keeps a tensor that it made for later", block->line);
  }
  for (Watched& w : watched_) {
    w.used = w.used || w.writes || w.tensor->has(kRequiresGrad);
    if (w.grad_after) w.grad_references = Py_REFCNT(w.grad_after.py());
  }
  std::erase_if(watched_, [](const Watched& w) { return !w.used; });
  return !recording_->is_refused();
}

std::vector<bool> Replay::written_inputs() const {
  std::vector<bool> written;
  for (const Watched& w : inputs_) written.push_back(w.storage->version != w.version);
  return written;
}

// ---- whether it fits

bool Replay::differs(std::string what) {
  changed_ = std::move(what);
  return false;
}

bool Replay::fits_input(size_t i, PyObject* argument) {
  const TensorObject* own = inputs_[i].tensor.get();
  if (!is_tensor(argument) || Py_TYPE(argument) != Py_TYPE(own)) return differs("the class of an argument");
  auto* t = reinterpret_cast<TensorObject*>(argument);
  if (!t->storage || t->storage->device != Device::CPU || t->dtype != own->dtype || t->bits() || t->node)
    return differs("the dtype, the device or the history of an argument");
  if (!equal({t->sizes(), t->ndim}, {own->sizes(), own->ndim})) return differs("the shape of an argument");
  if (t->has(kContiguous) != own->has(kContiguous) || t->has(kRequiresGrad) != own->has(kRequiresGrad))
    return differs("the layout of an argument, or whether it requires a gradient");
  if (!own->has(kContiguous) && !equal({t->strides(), t->ndim}, {own->strides(), own->ndim}))
    return differs("the strides of an argument");
  return true;
}

bool Replay::fits_gradient(const Watched& w) {
  const TensorObject* now = w.tensor->grad;
  if (!now != !w.grad) return differs("whether a .grad is there");
  if (now && w.grad_used && (now->data != w.grad->data || now->was_relaid(w.seen)))
    return differs("where a .grad lies");
  if (!w.grad_after || w.grad_after.get() == w.grad.get()) return true;
  const bool held = w.grad_after.get() == now;
  if (Py_REFCNT(w.grad_after.py()) > w.grad_references - !held || w.grad_after->storage->references > 1)
    return differs("who holds a .grad of the last step");
  return true;
}

bool Replay::fits(std::span<PyObject* const> arguments) {
  if (running_) return differs("another thread is in the middle of it");
  if (recorder) return differs("another step is being recorded");
  if (arguments.size() != inputs_.size()) return differs("the number of arguments");
  if (obstacle() || !(Modes::now() == modes_)) return differs("a mode: no_grad, autocast, the default dtype");
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!fits_input(i, arguments[i])) return false;
  }
  if (!guards_.hold()) return differs(std::string("a variable: ") + guards_.changed_name());
  for (const Watched& w : watched_) {
    if (!w.as_it_was()) return differs("where a tensor lies");
    if (!fits_gradient(w)) return false;
  }
  return true;
}

// ---- the call

void Replay::copy_in(std::span<PyObject* const> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& own = inputs_[i].tensor;
    const auto* from = reinterpret_cast<TensorObject*>(arguments[i]);
    if (own->has(kContiguous))
      std::memcpy(own->data, from->data, static_cast<size_t>(own->numel) * size_of(own->dtype));
    else
      copy_elements(own, Tensor::borrow(arguments[i]));
    Py_CLEAR(own->grad);
  }
}

void Replay::place_gradients() {
  for (const Watched& w : watched_) {
    if (w.tensor->grad == w.grad_after.get()) continue;
    Tensor former = Tensor::steal(std::exchange(w.tensor->grad, Tensor(w.grad_after).release()));
  }
}

// As often as the recorded call did.
void Replay::count_writes() {
  for (const Watched& w : watched_) {
    if (!w.writes) continue;
    w.storage->version = w.version + w.writes;
    w.storage->written_at = next_sequence;
  }
}

// An argument that requires a gradient has one afterwards, or one more.
void Replay::hand_gradients_on(std::span<PyObject* const> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& gradient = inputs_[i].grad_after;
    if (!gradient) continue;
    const Tensor to = Tensor::borrow(arguments[i]);
    if (to->grad)
      add_into(Tensor::borrow(to->grad), gradient);
    else
      to->grad = clone(gradient).release();
  }
}

Tensor Replay::result(const Output& output, std::span<PyObject* const> arguments) const {
  if (output.input >= 0) return Tensor::borrow(arguments[static_cast<size_t>(output.input)]);
  if (output.lasts) return output.tensor;
  const Tensor& t = output.tensor;
  GradModeScope off(false);
  Tensor fresh = copy_strided(t, Dims(t.strides()));
  if (t->node) {
    fresh->node = reinterpret_cast<Node*>(Py_NewRef(reinterpret_cast<PyObject*>(t->node)));
    fresh->output_number = t->output_number;
  } else if (t->has(kRequiresGrad)) {
    fresh->flags |= kRequiresGrad;
  }
  return fresh;
}

PyObject* Replay::run(std::span<PyObject* const> arguments) {
  struct Running {
    bool& flag;
    explicit Running(bool& f) : flag(f) { flag = true; }
    ~Running() { flag = false; }
  } running(running_);
  for (Watched& w : watched_) w.version = w.storage ? w.storage->version : 0;
  copy_in(arguments);
  place_gradients();
  {
    GradModeScope off(false);
    recording_->replay();
  }
  count_writes();
  return results(arguments);
}

PyObject* Replay::results(std::span<PyObject* const> arguments) {
  hand_gradients_on(arguments);
  Owned results(checked(PyTuple_New(static_cast<Py_ssize_t>(outputs_.size()))));
  for (size_t i = 0; i < outputs_.size(); ++i)
    PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), result(outputs_[i], arguments).release_py());
  return results.release();
}

int Replay::traverse(visitproc visit, void* arg) const {
  for (const auto* list : {&inputs_, &watched_}) {
    for (const Watched& w : *list) {
      Py_VISIT(w.tensor.py());
      Py_VISIT(w.grad.py());
      Py_VISIT(w.grad_after.py());
    }
  }
  for (const Output& o : outputs_) Py_VISIT(o.tensor.py());
  return guards_.traverse(visit, arg);
}

void Replay::clear() {
  guards_.clear();
  outputs_.clear();
  watched_.clear();
  inputs_.clear();
}

}  // namespace chainrule
