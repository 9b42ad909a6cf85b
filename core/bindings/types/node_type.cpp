// Nodes as Python sees them: grad_fn, next_functions, the source line, hooks.
#include "bindings/types/node_type.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "autograd/engine.hpp"
#include "autograd/record.hpp"
#include "autograd/saved_hooks.hpp"
#include "autograd/source_line.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/saved_names.hpp"
#include "ops/elementwise/elementwise_gradient.hpp"
#include "tensor/owned.hpp"

namespace chainrule {

PyTypeObject NodeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

constexpr std::string_view kSaved = "_saved_", kRawSaved = "_raw_saved_";

Node* node_of(PyObject* self) { return reinterpret_cast<Node*>(self); }

// An AccumulateGrad node exists once somebody has looked at it, as long as the node that it was seen from or somebody
// else holds it; the graph's edges lead to the leaf itself.
OpInfo kAccumulate{"accumulate_grad", "AccumulateGrad", "leaf.grad += g"};

void forget_accumulator(Node* n) {
  if (n->op != &kAccumulate || !n->extras) return;
  auto* leaf = reinterpret_cast<TensorObject*>(n->extras->payload);
  if (leaf && leaf->extras && leaf->extras->accumulator == n) leaf->extras->accumulator = nullptr;
}

PyObject* represent(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", node_of(self)->op->node_name, self);
}

PyObject* get_name(PyObject* self, PyObject*) {
  const char* name = node_of(self)->op->node_name;
  std::string_view engine_nodes[] = {"AccumulateGrad", "CopySlices", "CopyBackwards", "NotImplemented"};
  bool in_engine = std::find(std::begin(engine_nodes), std::end(engine_nodes), name) != std::end(engine_nodes);
  return PyUnicode_FromFormat("%s%s", in_engine ? "torch::autograd::" : "", name);
}

// grad_fn(*gradients): what the node makes of them.
PyObject* call_node(PyObject* self, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    Node* n = node_of(self);
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given != n->output_count)
      raise(PyExc_TypeError, "expected ", n->output_count, " arguments, got ", given, " instead");
    std::vector<Tensor> gradients;
    for (Py_ssize_t i = 0; i < given; ++i) {
      PyObject* g = PyTuple_GET_ITEM(args, i);
      if (!is_tensor(g) && g != Py_None)
        raise(PyExc_TypeError, "expected a Tensor or None for argument ", i, ", got ", Py_TYPE(g)->tp_name);
      gradients.push_back(is_tensor(g) ? Tensor::borrow(g) : Tensor());
    }
    std::vector<Tensor> all = apply_node(n, std::move(gradients)), results;
    for (size_t i = 0; i < all.size(); ++i) {
      bool hidden = i < 8 && (n->op->hidden_edges >> i & 1);
      if (!hidden) results.push_back(std::move(all[i]));
    }
    return results.size() == 1 ? to_python(results[0]) : to_python(std::move(results));
  });
}

// The node of the leaf, which `from` holds: a hook that is registered on it lives as long as the graph does.
PyObject* accumulator_seen_from(Node* from, TensorObject* leaf) {
  Owned found(accumulator_of(leaf));
  std::vector<PyObject*>& held = extras(from)->accumulators;
  if (std::find(held.begin(), held.end(), found.get()) == held.end()) held.push_back(Py_NewRef(found.get()));
  return found.release();
}

PyObject* get_next_functions(PyObject* self, void*) {
  return guarded([&] {
    Node* n = node_of(self);
    int hidden = n->op->hidden_edges, at = 0;
    PyObject* tuple = checked(PyTuple_New(n->edge_count - std::popcount(static_cast<unsigned>(hidden))));
    for (int i = 0; i < n->edge_count; ++i) {
      if (i < 8 && (hidden >> i & 1)) continue;
      Edge e = n->edges[i];
      PyObject* target = !e            ? Py_NewRef(Py_None)
                         : e.is_leaf() ? accumulator_seen_from(n, e.leaf())
                                       : Py_NewRef(e.object());
      PyTuple_SET_ITEM(tuple, at++, Py_BuildValue("(NI)", target, e.output_number()));
    }
    return tuple;
  });
}

PyObject* get_metadata(PyObject* self, void*) {
  NodeExtras* e = extras(node_of(self));
  if (!e->metadata) e->metadata = PyDict_New();
  return Py_XNewRef(e->metadata);
}

PyObject* get_variable(PyObject* self, void*) {
  Node* n = node_of(self);
  if (PyObject* leaf = leaf_of(n)) return Py_NewRef(leaf);
  PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'", n->op->node_name);
  return nullptr;
}

PyObject* get_source(PyObject* self, void*) { return to_python(node_of(self)->line); }
PyObject* get_formula(PyObject* self, void*) { return PyUnicode_FromString(node_of(self)->op->formula); }
PyObject* get_operation(PyObject* self, void*) { return PyUnicode_FromString(node_of(self)->op->name); }
PyObject* get_sequence(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(node_of(self)->sequence); }

// What stands behind a name in Python, _saved_self or _raw_saved_self without the prefix; nothing if there is none.
std::optional<KeptValue> find_saved(Node* n, std::string_view name) {
  for (const SavedAttribute& a : saved_attributes(n)) {
    if (a.name == name) return a.value;
  }
  return {};
}

// The saved tensor itself, with the hooks that it may have.
PyObject* raw_saved(PyObject* self, const std::optional<KeptValue>& value) {
  const Slot* slot = value ? std::get_if<Slot>(&*value) : nullptr;
  if (!slot || slot->number < 0) return nullptr;
  Owned module(checked(PyImport_ImportModule("chainrule.autograd.saved_tensor")));
  return handed_on(PyObject_CallMethod(module.get(), "at", "Oi", self, slot->number));
}

// For a name that the type does not have; null if the node has nothing of that name either.
PyObject* get_saved_attribute(PyObject* self, std::string_view name) {
  Node* n = node_of(self);
  if (name.starts_with(kRawSaved)) return raw_saved(self, find_saved(n, name.substr(kRawSaved.size())));
  if (!name.starts_with(kSaved)) return nullptr;
  if (std::optional<KeptValue> value = find_saved(n, name.substr(kSaved.size()))) return to_python(n, *value);
  if (n->flags & kReleased) raise_released(n);  // names of tensors go with them
  return nullptr;
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text || *text != '_') return nullptr;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  found = guarded([&] { return get_saved_attribute(self, text); });
  if (found || PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return found;
  }
  PyErr_Restore(type, error, trace);
  return nullptr;
}

PyObject* list_attributes(PyObject* self, PyObject*) {
  return guarded([&] {
    Owned names(from_python(PyObject_CallMethod((PyObject*)&PyBaseObject_Type, "__dir__", "O", self)));
    if (Py_TYPE(self)->tp_getattro != get_attribute) return names.release();  // a Function's, which names nothing
    for (const SavedAttribute& a : saved_attributes(node_of(self))) {
      for (std::string_view prefix : {kSaved, kRawSaved}) {
        if (prefix == kRawSaved && !std::holds_alternative<Slot>(a.value)) continue;
        Owned text(to_python(std::string(prefix) + a.name));
        checked(PyList_Append(names.get(), text.get()));
      }
    }
    return names.release();
  });
}

// ---- for saved_tensor.py

int slot_argument(PyObject* self, PyObject* number) {
  int slot = static_cast<int>(PyLong_AsLong(number));
  if (PyErr_Occurred()) throw PythonError();
  if (slot < 0 || slot >= node_of(self)->saved_count) raise(PyExc_IndexError, "no saved tensor ", slot);
  return slot;
}

// (what is kept, the unpack hook or None); None where nothing is kept any more.
PyObject* kept_at(PyObject* self, PyObject* number) {
  return guarded([&] {
    Node* n = node_of(self);
    int slot = slot_argument(self, number);
    if (n->flags & kReleased) return Py_NewRef(Py_None);
    if (const PackedTensor* p = find_packed(n, slot))
      return checked(Py_BuildValue("(OO)", p->object, PyTuple_GET_ITEM(p->unpack, 0)));
    if (!n->saved[slot].tensor) return Py_NewRef(Py_None);
    return checked(Py_BuildValue("(OO)", (PyObject*)n->saved[slot].tensor, Py_None));
  });
}

PyObject* unpack_at(PyObject* self, PyObject* number) {
  return guarded([&] { return to_python(unpack(node_of(self), slot_argument(self, number))); });
}

PyObject* pack_at(PyObject* self, PyObject* args) {
  PyObject *number, *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OOO", &number, &pack, &unpack)) return nullptr;
  return guarded([&] {
    pack_kept(node_of(self), slot_argument(self, number), pack, unpack);
    return Py_NewRef(Py_None);
  });
}

// ---- facts for explaining; see python/chainrule/explain/graph.py

PyObject* get_released(PyObject* self, void*) { return PyBool_FromLong(node_of(self)->flags & kReleased); }

PyObject* get_code(PyObject* self, void*) {
  const SourceLine& line = node_of(self)->line;
  if (!line) Py_RETURN_NONE;
  return Py_BuildValue("(Oi)", line.code(), line.offset());
}

PyObject* get_order(PyObject* self, void*) { return PyLong_FromLong(node_of(self)->line.order()); }

// All edges, also those that next_functions does not list; a leaf stands for itself.
PyObject* get_edges(PyObject* self, void*) {
  return guarded([&] {
    Node* n = node_of(self);
    Owned tuple(checked(PyTuple_New(n->edge_count)));
    for (int i = 0; i < n->edge_count; ++i) {
      Edge e = n->edges[i];
      PyTuple_SET_ITEM(tuple.get(), i, checked(Py_BuildValue("(OI)", e ? e.object() : Py_None, e.output_number())));
    }
    return tuple.release();
  });
}

PyObject* get_outputs(PyObject* self, void*) {
  return guarded([&] {
    Node* n = node_of(self);
    Owned tuple(checked(PyTuple_New(n->output_count)));
    for (int i = 0; i < n->output_count; ++i) {
      const Output& o = n->outputs[i];
      Owned sizes(checked(PyTuple_New(o.ndim)));
      for (int d = 0; d < o.ndim; ++d) PyTuple_SET_ITEM(sizes.get(), d, checked(PyLong_FromLongLong(o.sizes()[d])));
      PyTuple_SET_ITEM(tuple.get(), i, checked(Py_BuildValue("(NN)", sizes.release(), to_python(o.dtype))));
    }
    return tuple.release();
  });
}

// (name, tensor or None, whether it is an output, whether it is as it was) of each saved tensor. Neither unpacks what
// a hook packed nor raises for what was overwritten or released.
PyObject* peek_saved(PyObject* self, PyObject*) {
  return guarded([&] {
    Node* n = node_of(self);
    bool gone = n->flags & kReleased;
    std::vector<std::string> names = gone ? std::vector<std::string>(n->saved_count) : saved_names(n);
    Owned tuple(checked(PyTuple_New(n->saved_count)));
    for (int i = 0; i < n->saved_count; ++i) {
      const SavedTensor& s = n->saved[i];
      bool current = !gone && s.tensor && s.tensor->storage->version == s.version && !s.tensor->was_relaid(n->sequence);
      PyObject* tensor = gone || !s.tensor ? Py_None : reinterpret_cast<PyObject*>(s.tensor);
      PyTuple_SET_ITEM(tuple.get(), i,
                       checked(Py_BuildValue("(sONN)", names[i].c_str(), tensor, PyBool_FromLong(s.is_output),
                                             PyBool_FromLong(current))));
    }
    return tuple.release();
  });
}

// (line of the table, parameters, per input the number, its place among the saved tensors or None, the output's place)
// of an elementwise operation; None for all others.
PyObject* get_operands(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    std::optional<RecordedOperands> r = recorded_operands(node_of(self));
    if (!r) return Py_NewRef(Py_None);
    auto place = [](int slot) { return slot < 0 ? Py_NewRef(Py_None) : checked(PyLong_FromLong(slot)); };
    Owned parameters(checked(PyTuple_New(r->op->parameter_count))), inputs(checked(PyTuple_New(r->op->input_count)));
    for (int i = 0; i < r->op->parameter_count; ++i)
      PyTuple_SET_ITEM(parameters.get(), i, checked(PyFloat_FromDouble(r->parameters[i])));
    for (int i = 0; i < r->op->input_count; ++i)
      PyTuple_SET_ITEM(inputs.get(), i,
                       r->is_number[i] ? checked(PyFloat_FromDouble(r->numbers[i])) : place(r->slots[i]));
    return checked(Py_BuildValue("(sNNN)", r->op->name, parameters.release(), inputs.release(), place(r->output_slot)));
  });
}

// The dict that a hook goes into; Python wraps it with a removal handle.
template <PyObject* NodeExtras::* field>
PyObject* hook_dict(PyObject* self, PyObject*) {
  PyObject*& dict = extras(node_of(self))->*field;
  if (!dict) dict = PyDict_New();
  return Py_XNewRef(dict);
}

PyGetSetDef getset[] = {
    {"next_functions", get_next_functions, nullptr, "The nodes that gradients flow to, with the output each means.",
     nullptr},
    {"metadata", get_metadata, nullptr, "A dict for your own notes.", nullptr},
    {"variable", get_variable, nullptr, "The leaf that an AccumulateGrad node adds to.", nullptr},
    {"source", get_source, nullptr, "(file, line, function, text) of the user's line that made this node.", nullptr},
    {"formula", get_formula, nullptr, "The formula of the first input's gradient.", nullptr},
    {"operation", get_operation, nullptr, "The operation's name.", nullptr},
    {"_released", get_released, nullptr, "Whether a backward pass freed what the node had saved.", nullptr},
    {"_code", get_code, nullptr, "The code object and the instruction's offset of the user's line.", nullptr},
    {"_order", get_order, nullptr, "How many backward passes lie between that line and the node.", nullptr},
    {"_edges", get_edges, nullptr, "Per input, the node or leaf its gradient goes to, and which output.", nullptr},
    {"_outputs", get_outputs, nullptr, "(shape, dtype) of each output.", nullptr},
    {"_operands", get_operands, nullptr, "What an elementwise operation was called with.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"name", get_name, METH_NOARGS, "The node's name, as in PyTorch."},
                         {"__dir__", list_attributes, METH_NOARGS, nullptr},
                         {"_peek_saved", peek_saved, METH_NOARGS, nullptr},
                         {"_kept_at", kept_at, METH_O, nullptr},
                         {"_unpack_at", unpack_at, METH_O, nullptr},
                         {"_pack_at", pack_at, METH_VARARGS, nullptr},
                         {"_sequence_nr", get_sequence, METH_NOARGS, nullptr},
                         {"_hooks", hook_dict<&NodeExtras::hooks>, METH_NOARGS, nullptr},
                         {"_prehooks", hook_dict<&NodeExtras::prehooks>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

int clear(PyObject* self) {
  forget_accumulator(node_of(self));
  return node_clear(self);
}

void dealloc(PyObject* self) {
  forget_accumulator(node_of(self));
  node_dealloc(self);
}

}  // namespace

PyObject* accumulator_of(TensorObject* leaf) {
  TensorExtras* r = extras_of(leaf);
  if (r->accumulator) return Py_NewRef(reinterpret_cast<PyObject*>(r->accumulator));
  Node* n = make_node(&kAccumulate, 0, 0, 1);
  extras(n)->payload = Py_NewRef(reinterpret_cast<PyObject*>(leaf));
  n->outputs[0].describe(Tensor::borrow(leaf));
  set_function(n, [](Backward&) {});
  n->sequence = 0;
  gc::track(n);
  r->accumulator = n;
  return reinterpret_cast<PyObject*>(n);
}

PyObject* leaf_of(Node* n) { return n->op == &kAccumulate ? n->extras->payload : nullptr; }

PyTypeObject* make_node_type(const char* name) { return make_node_type(name, &NodeType); }

PyTypeObject* make_node_type(const char* name, PyTypeObject* base) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(base->tp_traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(base->tp_clear)},
                         {0, nullptr}};
  static std::deque<std::string> names;  // the type keeps a pointer to its name
  names.push_back(std::string("chainrule.autograd.") + name);
  PyType_Spec spec = {names.back().c_str(), sizeof(Node), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* bases = checked(PyTuple_Pack(1, base));
  auto* type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpecWithBases(&spec, bases)));
  Py_DECREF(bases);
  // Instances come from our slab and do not count as references to their type, which lives for ever.
  return type;
}

void add_node_type(PyObject* module) {
  NodeType.tp_name = "chainrule.autograd.graph.Node";
  NodeType.tp_basicsize = sizeof(Node);
  NodeType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  NodeType.tp_doc = documents::kNode;
  NodeType.tp_dealloc = dealloc;
  NodeType.tp_traverse = node_traverse;
  NodeType.tp_clear = clear;
  NodeType.tp_repr = represent;
  NodeType.tp_call = call_node;
  NodeType.tp_getattro = get_attribute;
  NodeType.tp_getset = getset;
  NodeType.tp_methods = methods;
  checked(PyType_Ready(&NodeType));
  NodeType.tp_flags &= ~static_cast<unsigned long>(Py_TPFLAGS_IMMUTABLETYPE);  // Python adds methods
  checked(PyModule_AddObjectRef(module, "Node", reinterpret_cast<PyObject*>(&NodeType)));
}

}  // namespace chainrule
