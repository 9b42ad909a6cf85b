// Nodes as Python sees them.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

void add_node_type(PyObject* module);
// The AccumulateGrad node of a leaf, the same object while somebody holds it; a new reference.
PyObject* accumulator_of(TensorObject* leaf);
// The leaf of an AccumulateGrad node, borrowed; null for other nodes.
PyObject* leaf_of(Node* n);

}  // namespace chainrule
