// Function.apply: runs forward without recording, then makes the node that leads back to the inputs.
#include "bindings/types/function_call.hpp"

#include <algorithm>

#include "autograd/engine.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/function_tangents.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

bool holds(PyObject* tuple, PyObject* object) {
  if (!tuple) return false;
  PyObject** items = PySequence_Fast_ITEMS(tuple);
  return std::find(items, items + PyTuple_GET_SIZE(tuple), object) != items + PyTuple_GET_SIZE(tuple);
}

// One call of apply. The node is the user's ctx.
class FunctionCall {
 public:
  FunctionCall(PyObject* function, PyObject* setup, PyObject* const* inputs, Py_ssize_t count)
      : function_(function), setup_(setup), inputs_(inputs, static_cast<size_t>(count)) {}
  PyObject* run();

 private:
  void make_context();
  void look_at_inputs();
  void keep_view_edges();
  Edge input_edge(TensorObject* t) const;
  Owned call_forward(bool with_context);
  void setup_context(PyObject* output);
  void take_outputs(PyObject* output);
  void check_dirty();
  void record();
  Tensor finish_output(int i);
  void finish_dirty(const Tensor& t);
  void save();
  void pass_tangents();
  void call_jvp();
  void check_setup() const;
  void check_pure_view() const;
  void mark_view(const Tensor& t);
  void place_tangent(size_t i, const Tensor& tangent, const GivenTangents& given);
  bool is_output(size_t i, char kind) const { return (function_state(node_).output_kind(i) & kind) == kind; }

  FunctionState& state() { return function_state(node_); }
  bool is_input(PyObject* o) const { return std::find(inputs_.begin(), inputs_.end(), o) != inputs_.end(); }

  PyObject* function_;
  PyObject* setup_;  // its setup_context; null: forward does that itself
  std::span<PyObject* const> inputs_;
  Owned context_;
  Node* node_ = nullptr;
  bool executable_ = false;  // recording is on and an input requires a gradient
  bool tangents_ = false;    // an input has a tangent
  bool has_jvp_ = false;     // and the user wrote how to pass it on
  std::vector<Owned> outputs_;
  bool is_tuple_ = false;
  struct ViewEdge {
    TensorObject* view;
    Edge edge;
    Owned target;  // what the edge leads to
  };
  std::vector<ViewEdge> view_edges_;
};

void FunctionCall::make_context() {
  bool transformed = Storage::transform != 0 && function_op(function_)->own_lines;
  node_ = make_node(function_op(function_, transformed ? Name::_generated_cls : Name::_backward_cls), 0, 0, 0);
  node_->sequence = 0;
  context_ = Owned(reinterpret_cast<PyObject*>(node_));
  set_function(node_, FunctionState());
  node_->flags |= kCalledWithNone;
  state().function = Py_NewRef(function_);
  state().input_count = static_cast<uint32_t>(inputs_.size()) & kMostSaved;
}

void FunctionCall::look_at_inputs() {
  for (PyObject* o : inputs_) {
    tangents_ |= forward_mode::active() && is_tensor(o) && forward_mode::has_tangent((TensorObject*)o);
  }
  if (tangents_) {
    Owned jvp = attribute(function_, Name::jvp);
    has_jvp_ = jvp.get() != function_defaults.jvp;
  }
  auto n = static_cast<Py_ssize_t>(inputs_.size());
  state().arguments = checked(PyBytes_FromStringAndSize(nullptr, n));
  char* kinds = PyBytes_AS_STRING(state().arguments);
  for (PyObject* o : inputs_) {
    char kind = 0;
    if (is_tensor(o)) {
      auto* t = reinterpret_cast<TensorObject*>(o);
      bool required = requires_grad(t), derived = tangents_ && !has_jvp_ && forward_mode::has_tangent(t);
      executable_ |= required && grad_enabled();
      kind = FunctionState::kIsTensor | (required || derived ? FunctionState::kNeedsGradient : 0);
    }
    *kinds++ = kind;
  }
}

Owned FunctionCall::call_forward(bool with_context) {
  Owned forward = attribute(function_, Name::forward);
  std::vector<PyObject*> args;
  args.reserve(inputs_.size() + 2);
  args.push_back(nullptr);
  if (with_context) args.push_back(context_.get());
  args.insert(args.end(), inputs_.begin(), inputs_.end());
  size_t count = (args.size() - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET;
  return Owned(from_python(PyObject_Vectorcall(forward.get(), args.data() + 1, count, nullptr)));
}

void FunctionCall::setup_context(PyObject* output) {
  Owned inputs(checked(PyTuple_New(static_cast<Py_ssize_t>(inputs_.size()))));
  for (size_t i = 0; i < inputs_.size(); ++i)
    PyTuple_SET_ITEM(inputs.get(), static_cast<Py_ssize_t>(i), Py_NewRef(inputs_[i]));
  PyObject* args[] = {nullptr, context_.get(), inputs.get(), output};
  Owned(from_python(PyObject_Vectorcall(setup_, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)));
}

void FunctionCall::take_outputs(PyObject* output) {
  is_tuple_ = PyTuple_Check(output);
  Py_ssize_t n = is_tuple_ ? PyTuple_GET_SIZE(output) : 1;
  for (Py_ssize_t i = 0; i < n; ++i) outputs_.emplace_back(Py_NewRef(is_tuple_ ? PyTuple_GET_ITEM(output, i) : output));
  Py_ssize_t inputs = state().input_count;
  checked(_PyBytes_Resize(&state().arguments, inputs + n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = outputs_[static_cast<size_t>(i)].get();
    bool excluded = holds(state().non_differentiable, o);
    bool differentiable = is_tensor(o) && !excluded && is_differentiable(reinterpret_cast<TensorObject*>(o)->dtype);
    PyBytes_AS_STRING(state().arguments)[inputs + i] = static_cast<char>(
        (is_tensor(o) ? FunctionState::kIsTensor : 0) | (excluded ? FunctionState::kIsNonDifferentiable : 0) |
        (is_tensor(o) && is_input(o) ? FunctionState::kCameIn : 0) |
        (holds(state().dirty, o) ? FunctionState::kDirty : 0) | (differentiable ? FunctionState::kDifferentiable : 0));
  }
}

// What setup_context saves must be the output that the caller gets, and an input that comes back becomes another one.
void FunctionCall::check_setup() const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    PyObject* o = outputs_[i].get();
    const FunctionState& s = function_state(node_);
    bool as_it_came = is_output(i, FunctionState::kCameIn) && !is_output(i, FunctionState::kDirty);
    if (!as_it_came || !(holds(s.to_save, o) || holds(s.for_forward, o))) continue;
    raise(PyExc_RuntimeError,
          "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
          "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
          "setup ctx inside the forward function itself.");
  }
}

// A pure view may be written into: its history is made anew from its base's.
void FunctionCall::check_pure_view() const {
  auto tensors = std::count_if(inputs_.begin(), inputs_.end(), is_tensor);
  if (tensors == 1 && outputs_.size() == 1) return;
  raise(PyExc_RuntimeError,
        "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
        "support more.");
}

// What was changed must come back as an output, so that its new history has a place to start from.
void FunctionCall::check_dirty() {
  PyObject* dirty = state().dirty;
  for (Py_ssize_t i = 0; dirty && i < PyTuple_GET_SIZE(dirty); ++i) {
    PyObject* o = PyTuple_GET_ITEM(dirty, i);
    if (!is_tensor(o))
      raise(PyExc_RuntimeError, "mark_dirty can only accept variables, but argument ", i, " is of type ",
            Py_TYPE(o)->tp_name);
    if (!is_input(o)) {
      if (!executable_) continue;
      if (reinterpret_cast<TensorObject*>(o)->base) {
        raise(PyExc_RuntimeError,
              "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
              "should be passed to ctx.mark_dirty().");
      }
      from_python(PyErr_WarnEx(PyExc_UserWarning,
                               "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have "
                               "been mutated should be passed to ctx.mark_dirty().",
                               1));
      continue;
    }
    auto returned = [&](const Owned& output) { return output.get() == o; };
    if (std::any_of(outputs_.begin(), outputs_.end(), returned)) continue;
    raise(PyExc_RuntimeError,
          "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
          "modified inplace must all be outputs of the Function.");
  }
}

// Where the gradients of inputs that are views go, before forward writes into their memory and outdates them.
void FunctionCall::keep_view_edges() {
  for (PyObject* o : inputs_) {
    if (!is_tensor(o) || !reinterpret_cast<TensorObject*>(o)->base) continue;
    auto* view = reinterpret_cast<TensorObject*>(o);
    const Edge edge = gradient_edge(view);
    view_edges_.push_back({view, edge, edge ? Owned(Py_NewRef(edge.object())) : Owned()});
  }
}

Edge FunctionCall::input_edge(TensorObject* t) const {
  for (const ViewEdge& known : view_edges_) {
    if (known.view == t) return known.edge;
  }
  return gradient_edge(t);
}

// Gives the node its edges, its number and its line.
void FunctionCall::record() {
  int tensors = 0, at = 0;
  for (PyObject* o : inputs_) {
    if (!is_tensor(o)) continue;
    bool written_view = reinterpret_cast<TensorObject*>(o)->base && holds(state().dirty, o);
    if (written_view) state().first = static_cast<uint32_t>(tensors) & kMostSaved;
    ++tensors;
  }
  reserve_edges(node_, tensors);
  reserve_outputs(node_, static_cast<int>(outputs_.size()));
  for (PyObject* o : inputs_) {
    if (!is_tensor(o)) continue;
    auto* t = reinterpret_cast<TensorObject*>(o);
    Edge edge = input_edge(t);
    bool derived = tangents_ && !has_jvp_ && forward_mode::has_tangent(t);
    if (!edge && derived) edge = Edge::to_leaf(t);
    set_edge(node_, state().edge_of(at++), edge);
  }
  finish_node(node_);
}

void FunctionCall::finish_dirty(const Tensor& t) {
  mark_written(t);
  if (!executable_) return;
  if (t->has(kRequiresGrad) && !t->node)
    raise(PyExc_RuntimeError, "a leaf Variable that requires grad has been used in an in-place operation.");
  if (t->base && outputs_.size() > 1) {
    raise(PyExc_RuntimeError,
          "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
          "more than one Tensor. This is not supported by the current autograd engine. You should either make sure the "
          "input is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
          "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
          "does the other operations).");
  }
  if (t->base) check_inplace(t, true);
  rebase_history(t, reinterpret_cast<Node*>(Py_NewRef(context_.get())));
}

// The tensor that output i becomes: an input that came back unchanged is returned as a view of itself.
Tensor FunctionCall::finish_output(int i) {
  Tensor t = Tensor::borrow(outputs_[static_cast<size_t>(i)].get());
  bool came_in = is_input(t.py()), recorded = node_->output_count > 0;
  if (recorded) node_->outputs[i].describe(t);
  if (came_in && holds(state().dirty, t.py())) {
    finish_dirty(t);
    if (executable_) t->output_number = t->base ? 0 : static_cast<uint32_t>(i);
    return t;
  }
  if (!executable_) {
    Tensor given = !came_in ? t : grad_enabled() ? view_as_alias(t) : alias(t);
    mark_view(given);
    return given;
  }
  if (!is_differentiable(t.dtype()) || holds(state().non_differentiable, t.py())) {
    if (came_in) return alias(t);
    if (requires_grad(t) && !t->base) detach_inplace(t);
    return t;
  }
  if (came_in) {
    Tensor view = alias(t);
    link_view(view, t);
    t = view;
  }
  Py_XDECREF((PyObject*)std::exchange(t->node, nullptr));  // forward may have recorded under enable_grad
  t->flags &= ~(kRequiresGrad | kCut | kViewNoGrad | kViewOfMany);
  mark_view(t);
  if (t->base) t->view_epoch = t->base->epoch;
  attach(t, node_, i);
  return t;
}

// A view that comes out of a Function may not be written into: its history would replace the gradient that the user
// wrote.
void FunctionCall::mark_view(const Tensor& t) {
  if (!t->base || state().says("_is_pure_view", Py_True)) return;
  int count = 0;
  for (size_t i = 0; i < outputs_.size(); ++i) count += is_output(i, FunctionState::kDifferentiable);
  t->flags |= count > 1 ? kViewOfMany : kViewCustom;
}

void FunctionCall::save() {
  Owned given(std::exchange(state().to_save, nullptr));
  if (!given) return;
  Py_ssize_t n = PyTuple_GET_SIZE(given.get());
  reserve_saved(node_, static_cast<int>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = PyTuple_GET_ITEM(given.get(), i);
    if (o == Py_None) continue;
    if (!is_tensor(o)) {
      raise(PyExc_TypeError, "save_for_backward can only save variables, but argument ", i, " is of type ",
            Py_TYPE(o)->tp_name);
    }
    Tensor t = Tensor::borrow(o);
    Py_INCREF(context_.get());  // saving frees a node whose pack hook raises
    if (t->node == node_ || (t->base && node_->output_count && holds(state().dirty, o)))  // else it would own itself
      save_output(node_, static_cast<int>(i), t, t->node == node_ ? static_cast<int>(t->output_number) : 0);
    else
      save_input(node_, static_cast<int>(i), t);
    Py_DECREF(context_.get());
  }
}

void FunctionCall::call_jvp() {
  Owned args(checked(PyTuple_New(static_cast<Py_ssize_t>(inputs_.size()) + 1)));
  PyTuple_SET_ITEM(args.get(), 0, Py_NewRef(context_.get()));
  GivenTangents given(inputs_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Tensor tangent = given.of(i);
    if (!tangent && is_tensor(inputs_[i]) && state().materialize) {
      Tensor t = Tensor::borrow(inputs_[i]);
      if (is_differentiable(t.dtype())) tangent = zeros(t.sizes(), t.dtype());
    }
    PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i) + 1, tangent ? tangent.release_py() : Py_NewRef(Py_None));
  }
  Owned result;
  {
    forward_mode::PauseScope pause;
    state().flags |= FunctionState::kInJvp;
    Owned jvp = attribute(function_, Name::jvp);
    PyObject* found = PyObject_CallObject(jvp.get(), args.get());
    state().flags &= static_cast<uint8_t>(~FunctionState::kInJvp);
    result = Owned(from_python(found));
  }
  bool many = PyTuple_Check(result.get());
  size_t count = many ? static_cast<size_t>(PyTuple_GET_SIZE(result.get())) : 1;
  if (count != outputs_.size()) {
    raise(PyExc_RuntimeError, "Function's jvp returned an invalid number of forward gradients (expected ",
          outputs_.size(), " but got ", count, ") in ", node_->op->node_name);
  }
  for (size_t i = 0; i < count; ++i) {
    PyObject* tangent = many ? PyTuple_GET_ITEM(result.get(), static_cast<Py_ssize_t>(i)) : result.get();
    if (!is_tensor(tangent) && tangent != Py_None)
      raise(PyExc_RuntimeError, "expected Variable or None (got ", Py_TYPE(tangent)->tp_name, ") for grad output ", i,
            ".");
    if (is_tensor(outputs_[i].get())) place_tangent(i, is_tensor(tangent) ? Tensor::borrow(tangent) : Tensor(), given);
  }
}

void FunctionCall::place_tangent(size_t i, const Tensor& tangent, const GivenTangents& given) {
  if (!is_output(i, FunctionState::kDifferentiable)) {
    if (!tangent) return;
    raise(PyExc_RuntimeError, "Function's jvp returned a gradient at position ", i,
          ", but  the corresponding forward output is not a differentiable Tensor.You should return None at that "
          "position instead.");
  }
  Tensor output = Tensor::borrow(outputs_[i].get());
  if (tangent && !equal(output.sizes(), tangent.sizes())) {
    raise(PyExc_RuntimeError,
          "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
          "supported. Tensor is of size ",
          output.sizes(), " while the given forward gradient is of size ", tangent.sizes(), ". It is output ", i,
          " of ", node_->op->node_name, ".");
  }
  if (is_output(i, FunctionState::kDirty | FunctionState::kCameIn))
    given.place_written(output, tangent);
  else if (tangent)
    given.place(output, tangent);
}

void FunctionCall::pass_tangents() {
  if (has_jvp_) return call_jvp();
  if (gradient_method(function_).get() == function_defaults.backward) {
    raise(PyExc_NotImplementedError,
          "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.");
  }
  std::vector<Tensor> inputs(node_->edge_count), outputs;
  int at = 0;
  for (PyObject* o : inputs_) {
    if (is_tensor(o)) inputs[static_cast<size_t>(state().edge_of(at++))] = Tensor::borrow(o);
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : inputs) pointers.push_back(&t);
  for (const Owned& o : outputs_) {
    bool takes = is_tensor(o.get()) && is_differentiable(reinterpret_cast<TensorObject*>(o.get())->dtype) &&
                 !holds(state().non_differentiable, o.get());
    outputs.push_back(takes ? Tensor::borrow(o.get()) : Tensor());
  }
  if (forward_mode::propagate(node_, pointers, outputs)) return;
  raise(PyExc_NotImplementedError,
        "You must implement the jvp function for custom autograd.Function to use it with forward mode AD. The backward "
        "of ",
        node_->op->node_name,
        " cannot stand in for it: its result is not calculated from the gradient by recorded "
        "operations.");
}

PyObject* FunctionCall::run() {
  make_context();
  look_at_inputs();
  if (executable_) keep_view_edges();
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    Owned output = call_forward(!setup_);
    if (setup_) setup_context(output.get());
    take_outputs(output.get());
  }
  if (setup_) check_setup();
  if (state().says("_is_pure_view", Py_True)) check_pure_view();
  check_dirty();
  bool derived = tangents_ && !has_jvp_;
  if (executable_ || derived) record();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (is_tensor(outputs_[i].get())) outputs_[i] = Owned(finish_output(static_cast<int>(i)).release_py());
  }
  if (executable_ || derived) save();
  if (tangents_) pass_tangents();
  Py_CLEAR(state().dirty);
  Py_CLEAR(state().to_save);
  Py_CLEAR(state().for_forward);
  if (!gc::is_tracked(node_)) gc::track(node_);
  if (!is_tuple_) return outputs_[0].release();
  Owned result(checked(PyTuple_New(static_cast<Py_ssize_t>(outputs_.size()))));
  for (size_t i = 0; i < outputs_.size(); ++i)
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i), outputs_[i].release());
  return result.release();
}

// Inside a transform forward sees other tensors than setup_context, so the two must be apart.
void check_transformable(PyObject* function) {
  if (!function_op(function)->own_lines) return;  // one of the library's own
  raise(PyExc_RuntimeError,
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
        "override the setup_context staticmethod. For more details, please see "
        "https://pytorch.org/docs/main/notes/extending.func.html");
}

// Whether forward has defaults that the caller left out; only setup_context's users get them as inputs.
bool wants_defaults(PyObject* function, Py_ssize_t n) {
  Owned count = attribute(function, Name::_input_count);
  return PyLong_AsSsize_t(count.get()) > n;
}

// Whether apply would do no more than call forward: nothing is recorded and no transform looks on.
bool nobody_watches(std::span<PyObject* const> inputs) {
  if (vmap_depth > 0) return false;
  for (PyObject* o : inputs) {
    if (!is_tensor(o)) continue;
    auto* t = reinterpret_cast<TensorObject*>(o);
    if (grad_enabled() && requires_grad(t)) return false;
    if (forward_mode::active() && forward_mode::has_tangent(t)) return false;
  }
  return true;
}

// Whether one of the inputs came back: apply would return a view in its place.
bool gives_back(PyObject* output, std::span<PyObject* const> inputs) {
  const auto came_in = [&](PyObject* o) { return is_tensor(o) && std::ranges::find(inputs, o) != inputs.end(); };
  if (!PyTuple_Check(output)) return came_in(output);
  PyObject** items = PySequence_Fast_ITEMS(output);
  return std::any_of(items, items + PyTuple_GET_SIZE(output), came_in);
}

}  // namespace

PyObject* function_call_plainly(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    std::span<PyObject* const> inputs(args + 1, static_cast<size_t>(n - 1));
    if (!nobody_watches(inputs)) return Py_NewRef(Py_NotImplemented);
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    Owned output(from_python(PyObject_Vectorcall(args[0], args + 1, inputs.size(), nullptr)));
    return gives_back(output.get(), inputs) ? Py_NewRef(Py_NotImplemented) : output.release();
  });
}

PyObject* function_apply(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    PyObject* function = args[0];
    if (vmap_depth > 0) [[unlikely]]
      return call_batched(function, args + 1, n - 1, keywords);
    Owned method = attribute(function, Name::setup_context);
    PyObject* setup = method.get() == function_defaults.setup_context ? nullptr : method.get();
    if (Storage::transform != 0 && !setup) [[unlikely]]
      check_transformable(function);
    if (!keywords && !(setup && wants_defaults(function, n - 1)))
      return FunctionCall(function, setup, args + 1, n - 1).run();
    Owned bound(from_python(PyObject_Vectorcall(function_defaults.bind, args, static_cast<size_t>(n), keywords)));
    return FunctionCall(function, setup, PySequence_Fast_ITEMS(bound.get()), PyTuple_GET_SIZE(bound.get())).run();
  });
}

}  // namespace chainrule
