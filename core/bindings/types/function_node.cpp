// Nodes whose gradient is written in Python: the context and grad_fn of an autograd.Function.
//
// The node is the context: forward fills it, it becomes the outputs' grad_fn, and backward reads it. What it keeps
// beyond an ordinary node (the ctx attributes, the class, which arguments were tensors) sits in the node's capture, and
// the type's dictoffset points there. Calling Function.apply is in function_call.cpp.
#include "bindings/types/function_node.hpp"

#include <structmember.h>

#include <deque>
#include <unordered_map>

#include "autograd/record.hpp"
#include "autograd/source_line.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/function_call.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

PyTypeObject FunctionNodeType = {PyVarObject_HEAD_INIT(nullptr, 0)};
FunctionDefaults function_defaults;

namespace {

std::deque<FunctionOp> ops;
std::unordered_map<PyTypeObject*, FunctionOp*> op_by_type;

FunctionState& state_of(PyObject* self) { return function_state(reinterpret_cast<Node*>(self)); }

// ---- running backward

// What backward is called with: one argument for each output, or a list of them, which it may empty.
std::vector<Owned> gradient_arguments(Node* n, const FunctionState& state, Backward& b) {
  bool leaves_out = state.says("_materialize_non_diff_grads", Py_False);
  std::vector<Owned> given;
  for (int i = 0; i < n->output_count; ++i) {
    bool filled = state.materialize && state.is_tensor_output(i) && !(leaves_out && state.is_non_differentiable(i));
    bool wanted = b.has_g(i) || filled;
    given.emplace_back(wanted ? b.take_g(i).release_py() : Py_NewRef(Py_None));
  }
  return given;
}

bool is_boxed(PyObject* function) {
  Owned boxed = attribute(function, Name::boxed_grads_call);
  return from_python(PyObject_IsTrue(boxed.get())) > 0;
}

Owned boxed_list(std::vector<Owned> given) {
  Owned list(checked(PyList_New(static_cast<Py_ssize_t>(given.size()))));
  for (size_t i = 0; i < given.size(); ++i) PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), given[i].release());
  return list;
}

}  // namespace

Owned gradient_method(PyObject* function) {
  Owned backward = attribute(function, Name::backward);
  Owned vjp = attribute(function, Name::vjp);
  bool has_backward = backward.get() != function_defaults.backward, has_vjp = vjp.get() != function_defaults.vjp;
  if (has_backward && has_vjp) {
    raise(PyExc_RuntimeError,
          "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
          "of them.");
  }
  return has_vjp ? std::move(vjp) : std::move(backward);
}

namespace {

// What a user's gradient makes itself is where it says. What a gradient of the library's own makes is where its g is.
Device where_it_makes(Node* n, Backward& b) {
  if (storages_elsewhere == 0 || static_cast<const FunctionOp*>(n->op)->own_lines) return Device::CPU;
  for (int i = 0; i < n->output_count; ++i) {
    if (b.has_g(i)) return b.g(i)->storage->device;
  }
  return Device::CPU;
}

Owned call_backward(Node* n, const FunctionState& state, Backward& b) {
  Owned method = gradient_method(state.function);
  const Device device = where_it_makes(n, b);
  std::vector<Owned> given = gradient_arguments(n, state, b);
  DeviceScope here(device);
  std::vector<PyObject*> args{nullptr, reinterpret_cast<PyObject*>(n)};
  if (is_boxed(state.function)) {
    Owned list = boxed_list(std::move(given));
    PyObject* boxed[] = {nullptr, args[1], list.get()};
    return Owned(
        from_python(PyObject_Vectorcall(method.get(), boxed + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)));
  }
  for (const Owned& g : given) args.push_back(g.get());
  size_t count = (args.size() - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET;
  return Owned(from_python(PyObject_Vectorcall(method.get(), args.data() + 1, count, nullptr)));
}

// A gradient may have more dimensions than its input, or be longer where the input has length 1: it is summed.
bool fits(Span gradient, Span input) {
  if (gradient.size() < input.size()) return false;
  Span tail = gradient.subspan(gradient.size() - input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    if (input[i] != 1 && input[i] != tail[i]) return false;
  }
  return true;
}

void check_gradient(Node* n, int edge, const Tensor& gradient) {
  Edge e = n->edges[edge];
  Span wanted =
      e.is_leaf() ? Span(e.leaf()->sizes(), e.leaf()->ndim) : Span(e.node()->outputs[e.output_number()].sizes());
  DType dtype = e.is_leaf() ? e.leaf()->dtype : e.node()->outputs[e.output_number()].dtype;
  if (holds_complex(gradient.dtype()) && !holds_complex(dtype)) {
    raise(PyExc_RuntimeError, "Function ", n->op->node_name, " returned an invalid gradient at index ", edge,
          " - got a complex one for an input of dtype torch.", facts(dtype).name, "; take its real part");
  }
  if (const Device found = gradient->storage->device; e.is_leaf() && found != e.leaf()->storage->device) {
    const Device there = e.leaf()->storage->device;
    if (found != Device::Meta && there != Device::Meta) {
      raise(PyExc_RuntimeError, "Function ", n->op->node_name, " returned an invalid gradient at index ", edge,
            " - expected device ", there.name(), " but got ", found.name());
    }
  }
  if (fits(gradient.sizes(), wanted)) return;
  raise(PyExc_RuntimeError, "Function ", n->op->node_name, " returned an invalid gradient at index ", edge, " - got ",
        gradient.sizes(), " but expected shape compatible with ", wanted);
}

void give_results(Node* n, const FunctionState& state, Backward& b, PyObject* result) {
  bool many = PyTuple_Check(result);
  Py_ssize_t count = many ? PyTuple_GET_SIZE(result) : 1;
  auto item = [&](Py_ssize_t i) { return many ? PyTuple_GET_ITEM(result, i) : result; };
  while (count > state.input_count && item(count - 1) == Py_None) --count;
  if (count != state.input_count) {
    raise(PyExc_RuntimeError, "function ", n->op->node_name, " returned an incorrect number of gradients (expected ",
          state.input_count, ", got ", count, ")");
  }
  int tensor = 0;
  for (int i = 0; i < state.input_count; ++i) {
    PyObject* gradient = item(i);
    if (!state.is_tensor_input(i)) {
      if (gradient == Py_None) continue;
      raise(PyExc_RuntimeError, "function ", n->op->node_name, " returned a gradient different than None at position ",
            i + 1, ", but the corresponding forward input was not a Variable");
    }
    int edge = state.edge_of(tensor++);
    if (gradient == Py_None || !n->edges[edge]) continue;
    if (!is_tensor(gradient))
      raise(PyExc_RuntimeError, "expected Variable or None (got ", Py_TYPE(gradient)->tp_name, ")");
    check_gradient(n, edge, Tensor::borrow(gradient));
    b.give(edge, resolved(Tensor::borrow(gradient)));
  }
}

// ---- what the user calls on ctx

PyObject* set_field(PyObject*& field, PyObject* value) {
  Py_XSETREF(field, Py_NewRef(value));
  Py_RETURN_NONE;
}
PyObject* save_for_backward(PyObject* self, PyObject* args) { return set_field(state_of(self).to_save, args); }
PyObject* save_for_forward(PyObject* self, PyObject* args) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    if (item == Py_None || is_tensor(item)) continue;
    return PyErr_Format(PyExc_TypeError,
                        "save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                        "attributes on ctx (argument %zd is of type %s)",
                        i, Py_TYPE(item)->tp_name);
  }
  return set_field(state_of(self).for_forward, args);
}
PyObject* mark_dirty(PyObject* self, PyObject* args) { return set_field(state_of(self).dirty, args); }
PyObject* mark_non_differentiable(PyObject* self, PyObject* args) {
  return set_field(state_of(self).non_differentiable, args);
}
PyObject* set_materialize_grads(PyObject* self, PyObject* value) {
  int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  state_of(self).materialize = on;
  Py_RETURN_NONE;
}

PyObject* get_needs_input_grad(PyObject* self, void*) {
  const FunctionState& state = state_of(self);
  PyObject* tuple = PyTuple_New(state.input_count);
  for (int i = 0; tuple && i < state.input_count; ++i) PyTuple_SET_ITEM(tuple, i, PyBool_FromLong(state.needs(i)));
  return tuple;
}

PyObject* get_saved_tensors(PyObject* self, void*) {
  return guarded([&] {
    auto* n = reinterpret_cast<Node*>(self);
    FunctionState& state = state_of(self);
    if (state.flags & FunctionState::kInJvp)
      return state.for_forward ? Py_NewRef(state.for_forward) : checked(PyTuple_New(0));
    if (state.flags & FunctionState::kCleared) {
      raise(PyExc_RuntimeError,
            "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
            "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False.");
    }
    if (n->flags & kReleased) raise_released(n);
    GradModeScope attached(true);  // an output has its history in a first backward pass, too
    Owned tuple(checked(PyTuple_New(n->saved_count)));
    for (int i = 0; i < n->saved_count; ++i) {
      PyTuple_SET_ITEM(tuple.get(), i, has_saved(n, i) ? unpack(n, i).release_py() : Py_NewRef(Py_None));
    }
    Owned clears = attribute(state.function, Name::clear_saved_tensors_on_access);
    if (clears.get() == Py_True && n->saved_count) {
      release_saved(n);
      state.flags |= FunctionState::kCleared;
    }
    return tuple.release();
  });
}

PyObject* get_saved_variables(PyObject* self, void*) {
  if (PyErr_WarnEx(PyExc_DeprecationWarning, "'saved_variables' is deprecated; use 'saved_tensors'", 1) < 0)
    return nullptr;
  return get_saved_tensors(self, nullptr);
}

PyObject* get_forward_class(PyObject* self, void*) { return Py_NewRef(state_of(self).function); }
template <PyObject* FunctionState::* field>
PyObject* get_field(PyObject* self, void*) {
  PyObject* value = state_of(self).*field;
  return Py_NewRef(value ? value : Py_None);
}
PyObject* get_materialize(PyObject* self, void*) { return PyBool_FromLong(state_of(self).materialize); }
int set_materialize(PyObject* self, PyObject* value, void*) {
  PyObject* done = value ? set_materialize_grads(self, value) : nullptr;
  Py_XDECREF(done);
  return done ? 0 : -1;
}

// grad_fn.apply(*gradients): backward with these, outside of a pass.
PyObject* apply_backward(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* function = state_of(self).function;
    Owned method = gradient_method(function);
    std::vector<PyObject*> all{self};
    Owned list(from_python(PySequence_List(args)));
    if (is_boxed(function)) {
      all.push_back(list.get());
    } else {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) all.push_back(PyTuple_GET_ITEM(args, i));
    }
    return from_python(PyObject_Vectorcall(method.get(), all.data(), all.size(), nullptr));
  });
}

PyMethodDef methods[] = {
    {"apply", apply_backward, METH_VARARGS, "Calls backward with these gradients of the outputs."},
    {"save_for_backward", save_for_backward, METH_VARARGS, "Keeps tensors for backward; once, from forward."},
    {"save_for_forward", save_for_forward, METH_VARARGS, "Keeps tensors for jvp; once, from forward."},
    {"mark_dirty", mark_dirty, METH_VARARGS, "Says which inputs forward changed in place."},
    {"mark_non_differentiable", mark_non_differentiable, METH_VARARGS, "Says which outputs have no gradient."},
    {"set_materialize_grads", set_materialize_grads, METH_O,
     "Whether gradients that did not arrive come as zeros (the default) or as None."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {
    {"needs_input_grad", get_needs_input_grad, nullptr, "For each argument, whether its gradient is wanted.", nullptr},
    {"saved_tensors", get_saved_tensors, nullptr, "What save_for_backward kept, checked against later writes.",
     nullptr},
    {"saved_variables", get_saved_variables, nullptr, "The old name of saved_tensors.", nullptr},
    {"_forward_cls", get_forward_class, nullptr, "The Function.", nullptr},
    {"to_save", get_field<&FunctionState::to_save>, nullptr, nullptr, nullptr},
    {"dirty_tensors", get_field<&FunctionState::dirty>, nullptr, nullptr, nullptr},
    {"non_differentiable", get_field<&FunctionState::non_differentiable>, nullptr, nullptr, nullptr},
    {"saved_for_forward", get_field<&FunctionState::for_forward>, nullptr, nullptr, nullptr},
    {"materialize_grads", get_materialize, set_materialize, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

int traverse(PyObject* self, visitproc visit, void* arg) {
  for (PyObject* FunctionState::* field : FunctionState::kReferences) Py_VISIT(state_of(self).*field);
  return node_traverse(self, visit, arg);
}

int clear(PyObject* self) {
  state_of(self).clear();
  return node_clear(self);
}

// ---- the type of a Function's nodes

// One type per name, so that Functions defined in a loop do not each leave a type behind.
PyObject* make_type(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const char* name;
    int own_lines;
    if (!PyArg_ParseTuple(args, "sp", &name, &own_lines)) throw PythonError();
    for (FunctionOp& op : ops) {
      if (op.text == name && op.own_lines == static_cast<bool>(own_lines)) return Py_NewRef((PyObject*)op.type);
    }
    FunctionOp& op = ops.emplace_back();
    op.text = name;
    op.name = op.node_name = op.text.c_str();
    op.formula = "written in Python";
    op.own_lines = own_lines;
    op.type = make_node_type(op.node_name, &FunctionNodeType);
    op_by_type[op.type] = &op;
    return Py_NewRef((PyObject*)op.type);
  });
}

PyObject* set_defaults(PyObject*, PyObject* args) {
  FunctionDefaults& d = function_defaults;
  if (!PyArg_ParseTuple(args, "OOOOO", &d.setup_context, &d.backward, &d.vjp, &d.jvp, &d.bind)) return nullptr;
  for (PyObject* o : {d.setup_context, d.backward, d.vjp, d.jvp, d.bind}) Py_INCREF(o);  // for ever
  Py_RETURN_NONE;
}

PyMethodDef module_functions[] = {
    {"make_function_node_type", make_type, METH_VARARGS, "The type of a Function's nodes, by name."},
    {"set_function_defaults", set_defaults, METH_VARARGS, "The methods of Function that mean: not overridden."},
    {"function_apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function_apply)),
     METH_FASTCALL | METH_KEYWORDS, "Function.apply."},
    {"call_plainly", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function_call_plainly)), METH_FASTCALL,
     "forward(*inputs) as apply would call it, or NotImplemented where apply has more to do."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void FunctionState::clear() {
  for (PyObject* FunctionState::* field : kReferences) Py_CLEAR(this->*field);
  settle_quietly();  // what the user kept on ctx may have had a finalizer
}

void FunctionState::operator()(Backward& b) const {
  Node* n = b.node();
  static const SourceLine current;
  LineScope lines(static_cast<const FunctionOp*>(n->op)->own_lines ? current : n->line);
  Owned result = call_backward(n, *this, b);
  give_results(n, *this, b, result.get());
}

bool FunctionState::says(const char* attribute, PyObject* value) const {
  return dict && PyDict_GetItemString(dict, attribute) == value;
}

Owned attribute(PyObject* function, Name name) {
  static constexpr const char* texts[] = {"forward",
                                          "setup_context",
                                          "backward",
                                          "vjp",
                                          "jvp",
                                          "_backward_cls",
                                          "_input_count",
                                          "boxed_grads_call",
                                          "clear_saved_tensors_on_access",
                                          "_generated_cls"};
  static PyObject* names[std::size(texts)];
  PyObject*& key = names[static_cast<int>(name)];
  if (!key) key = checked(PyUnicode_InternFromString(texts[static_cast<int>(name)]));
  return Owned(from_python(PyObject_GetAttr(function, key)));
}

FunctionOp* function_op(PyObject* function, Name name) {
  Owned type = attribute(function, name);
  auto found = op_by_type.find(reinterpret_cast<PyTypeObject*>(type.get()));
  if (found == op_by_type.end()) raise(PyExc_TypeError, "_backward_cls is not a type of nodes");
  return found->second;
}

void add_function_node(PyObject* module) {
  PyTypeObject& t = FunctionNodeType;
  t.tp_name = "chainrule.autograd.function.FunctionCtx";
  t.tp_base = &NodeType;
  t.tp_basicsize = sizeof(Node);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  t.tp_doc = "The `ctx` of an autograd.Function: what forward leaves for backward.";
  t.tp_dealloc = NodeType.tp_dealloc;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_dictoffset = offsetof(Node, capture) + offsetof(FunctionState, dict);
  t.tp_getattro = PyObject_GenericGetAttr;
  t.tp_methods = methods;
  t.tp_getset = getset;
  checked(PyType_Ready(&t));
  checked(PyModule_AddObjectRef(module, "FunctionCtx", reinterpret_cast<PyObject*>(&t)));
  checked(PyModule_AddFunctions(module, module_functions));
}

}  // namespace chainrule
