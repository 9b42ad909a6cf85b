// What a node shows as grad_fn._saved_*.
#pragma once
#include <string>
#include <vector>

#include "autograd/kept.hpp"
#include "autograd/node.hpp"

namespace chainrule {

struct SavedAttribute {
  std::string name;
  KeptValue value;
};
std::vector<SavedAttribute> saved_attributes(Node* n);
// Per saved tensor its name, empty where it has none.
std::vector<std::string> saved_names(Node* n);
// A new reference.
PyObject* to_python(Node* n, const KeptValue& value);

}  // namespace chainrule
