// The names under which PyTorch shows a node's saved tensors: grad_fn._saved_self, grad_fn._saved_result.
//
// A saved output is the result. A saved input has the name of the parameter whose gradient goes where its own gradient
// goes; one without history is the first parameter without an edge that no other has taken.
#include "bindings/saved_names.hpp"

#include "autograd/record.hpp"
#include "autograd/saved_hooks.hpp"
#include "bindings/callable.hpp"

namespace chainrule {
namespace {

std::vector<std::string> parameter_names(const Node* n) {
  std::vector<std::string> names;
  const Callable* c = find_callable(n->op->name, false);
  if (!c) c = find_callable(n->op->name, true);
  if (c) {
    for (const Parameter& p : c->overloads.front().signature.parameters) {
      if (p.kind == Kind::Tensor || p.kind == Kind::Operand) names.push_back(p.name == "input" ? "self" : p.name);
    }
  }
  while (static_cast<int>(names.size()) < n->edge_count) names.push_back("tensor" + std::to_string(names.size()));
  return names;
}

struct Place {
  Edge edge;
  bool exists, is_output;
};

Place place_of(const Node* n, int slot) {
  if (const PackedTensor* p = find_packed(n, slot)) return {p->edge, true, p->is_output};
  const SavedTensor& s = n->saved[slot];
  if (!s.tensor) return {Edge(), false, false};
  return {s.is_output ? Edge() : gradient_edge(s.tensor), true, s.is_output};
}

}  // namespace

std::vector<std::string> saved_names(Node* n) {
  std::vector<std::string> inputs = parameter_names(n), names(n->saved_count);
  std::vector<bool> taken(n->edge_count, false);
  for (bool with_edge : {true, false}) {
    for (int slot = 0; slot < n->saved_count; ++slot) {
      Place place = place_of(n, slot);
      if (!place.exists || static_cast<bool>(place.edge) != with_edge) continue;
      if (place.is_output) names[slot] = "result";
      for (int i = 0; i < n->edge_count && names[slot].empty(); ++i) {
        if (taken[i] || !(n->edges[i] == place.edge)) continue;
        taken[i] = true;
        names[slot] = inputs[i];
      }
    }
  }
  return names;
}

}  // namespace chainrule
