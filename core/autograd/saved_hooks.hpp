// What the user wants done with tensors that are saved for backward, in place of keeping them: saved_tensors_hooks.
#pragma once
#include "autograd/node.hpp"

namespace chainrule {

// Whether a pair of hooks is active on this thread; saving looks at nothing else.
extern thread_local bool packs_saved __attribute__((tls_model("initial-exec")));

void push_saved_hooks(PyObject* pack, PyObject* unpack);  // takes new references
void pop_saved_hooks();
size_t saved_hooks_depth();  // how many pairs this thread is inside of

// Gives the tensor to the pack hook and keeps what it returns. If the hook raises, the unfinished node is freed.
void pack_saved(Node* n, int i, const Tensor& t, bool is_output, int output_number = 0);
// Packs what is kept in a place already: register_hooks of a node's _raw_saved_self.
void pack_kept(Node* n, int i, PyObject* pack, PyObject* unpack);
// The tensor that the unpack hook returns, with the history of the one that was saved.
Tensor unpack_saved(Node* n, const PackedTensor& packed);
const PackedTensor* find_packed(const Node* n, int i);

}  // namespace chainrule
