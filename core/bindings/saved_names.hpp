// The names under which PyTorch shows a node's saved tensors: grad_fn._saved_self, grad_fn._saved_result.
#pragma once
#include <string>

#include "autograd/node.hpp"

namespace chainrule {

// By slot; "" where nothing is saved.
std::vector<std::string> saved_names(Node* n);

}  // namespace chainrule
