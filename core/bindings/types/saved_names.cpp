// What a node shows under PyTorch's names: grad_fn._saved_self, grad_fn._saved_dim.
//
// A gradient function names what it keeps, see autograd/kept.hpp. For saved tensors that it does not name: an output
// is the result; an input has the name of the parameter whose gradient goes where its own gradient goes; one without
// history is the first parameter without an edge that no other has taken.
#include "bindings/types/saved_names.hpp"

#include "autograd/record.hpp"
#include "autograd/saved_hooks.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/errors.hpp"
#include "ops/create/create.hpp"
#include "ops/views/view.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

std::vector<std::string> parameter_names(const Node* n) {
  std::vector<std::string> names;
  const Callable* c = find_callable(n->op->name, false);
  if (!c) c = find_callable(n->op->name, true);
  if (c) {
    for (const Parameter& p : c->overloads.front().signature.parameters) {
      if (p.kind == Kind::Tensor || p.kind == Kind::Operand)
        names.push_back(p.name == "input" || p.name == "x" ? "self" : p.name);
    }
  }
  while (static_cast<int>(names.size()) < n->edge_count) names.push_back("tensor" + std::to_string(names.size()));
  return names;
}

struct SavedPlace {
  Edge edge;
  bool exists, is_output;
};

SavedPlace place_of(const Node* n, int slot) {
  if (const PackedTensor* p = find_packed(n, slot)) return {p->edge, true, p->is_output};
  const SavedTensor& s = n->saved[slot];
  if (!s.tensor) return {Edge(), false, false};
  return {s.is_output ? Edge() : gradient_edge(s.tensor), true, s.is_output};
}

void name_by_edges(Node* n, std::vector<std::string>& names) {
  std::vector<std::string> inputs = parameter_names(n);
  std::vector<bool> taken(n->edge_count, false);
  for (bool with_edge : {true, false}) {
    for (int slot = 0; slot < n->saved_count; ++slot) {
      SavedPlace place = place_of(n, slot);
      if (!names[slot].empty() || !place.exists || static_cast<bool>(place.edge) != with_edge) continue;
      if (place.is_output) names[slot] = "result";
      for (int i = 0; i < n->edge_count && names[slot].empty(); ++i) {
        if (taken[i] || !(n->edges[i] == place.edge)) continue;
        taken[i] = true;
        names[slot] = inputs[i];
      }
    }
  }
}

std::vector<Kept::Named> kept_values(Node* n) {
  Kept kept;
  if (n->function && n->function->show) {
    Backward nothing(n, nullptr);
    n->function->show(n->capture, nothing, kept);
  }
  return std::move(kept.values);
}

// Whether the function itself says what becomes of a saved tensor.
bool names_slot(const Kept::Named& v, int slot) {
  if (const auto* s = std::get_if<Slot>(&v.value)) return s->number == slot;
  const auto* all = std::get_if<SlotsFrom>(&v.value);
  return all && all->number <= slot;
}

Tensor unpack_if_saved(Node* n, int slot) {
  if (slot < 0 || (!has_saved(n, slot) && !(n->flags & kReleased))) return Tensor();
  return unpack(n, slot);
}

struct ToPython {
  Node* node;

  PyObject* operator()(std::monostate) const { return Py_NewRef(Py_None); }
  PyObject* operator()(bool v) const { return PyBool_FromLong(v); }
  PyObject* operator()(int64_t v) const { return PyLong_FromLongLong(v); }
  PyObject* operator()(double v) const { return PyFloat_FromDouble(v); }
  PyObject* operator()(const Dims& v) const { return int_tuple(v); }
  PyObject* operator()(const char* v) const { return PyUnicode_FromString(v); }
  PyObject* operator()(const Scalar& v) const { return chainrule::to_python(v); }
  PyObject* operator()(WrappedNumber v) const {
    DType dtype = v.number.kind == Scalar::kFloat ? DType::Float64 : dtype_of(v.number);
    return chainrule::to_python(scalar_tensor(v.number, dtype));
  }
  PyObject* operator()(Slot v) const {
    Tensor t = unpack_if_saved(node, v.number);
    return chainrule::to_python(t && v.turned ? transpose(t, -2, -1) : t);
  }
  PyObject* operator()(SlotsFrom v) const {
    Owned tuple(checked(PyTuple_New(node->saved_count - v.number)));
    for (int i = v.number; i < node->saved_count; ++i)
      PyTuple_SET_ITEM(tuple.get(), i - v.number, chainrule::to_python(unpack_if_saved(node, i)));
    return tuple.release();
  }
};

}  // namespace

std::vector<std::string> saved_names(Node* n) {
  std::vector<std::string> names(n->saved_count);
  for (const Kept::Named& v : kept_values(n)) {
    for (int slot = 0; slot < n->saved_count; ++slot) {
      if (names_slot(v, slot)) names[slot] = v.name;
    }
  }
  name_by_edges(n, names);
  return names;
}

std::vector<SavedAttribute> saved_attributes(Node* n) {
  std::vector<SavedAttribute> all;
  std::vector<Kept::Named> kept = kept_values(n);
  for (const Kept::Named& v : kept) all.push_back({v.name, v.value});
  std::vector<std::string> names = saved_names(n);
  for (int slot = 0; slot < n->saved_count; ++slot) {
    bool named = std::any_of(kept.begin(), kept.end(), [&](const Kept::Named& v) { return names_slot(v, slot); });
    if (!named && !names[slot].empty()) all.push_back({names[slot], Slot{slot}});
  }
  return all;
}

PyObject* to_python(Node* n, const KeptValue& value) { return checked(std::visit(ToPython{n}, value)); }

}  // namespace chainrule
