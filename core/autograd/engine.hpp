// The backward pass.
#pragma once
#include <vector>

#include "autograd/record.hpp"

namespace chainrule {
// A gradient function may give none for an input that wants one, as the backward of an autograd.Function may return
// None. As in PyTorch the pass goes on: hooks further down are called with None, what was saved is freed, a leaf's
// .grad stays as it is. Functions of the core are not called then, their gradients are none as well; those written in
// Python are, with zeros unless they say set_materialize_grads(False). This flag of their nodes, beside those of
// node.hpp, says so.
inline constexpr uint8_t kCalledWithNone = 4;

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};

// Whether what PyTorch warns of once in a process is said each time.
inline bool warns_always = false;

// Adds gradients into the .grad of every leaf that `outputs` depend on, or only of `inputs` when some are given.
// `gradients` has one entry per output; a null handle stands for 1, allowed for one-element outputs only.
void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients, std::span<const Tensor> inputs,
              BackwardOptions options);

// Gradients of `outputs` with respect to `inputs`, touching no .grad. A null handle: that input was not reached.
std::vector<Tensor> gradients_of(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                                 std::span<const Tensor> inputs, BackwardOptions options);
inline std::vector<Tensor> gradients_of(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                                        std::initializer_list<Tensor> inputs, BackwardOptions options) {
  return gradients_of(outputs, gradients, std::span<const Tensor>(inputs.begin(), inputs.size()), options);
}

// The same for every row of `rows`, which are gradients of the one output, stacked: a list of rows. The graph is kept.
std::vector<std::vector<Tensor>> gradients_by_row(const Tensor& output, std::span<const Tensor> rows,
                                                  std::span<const Tensor> inputs, bool create_graph);

// What one node makes of these gradients of its outputs, outside of any pass.
std::vector<Tensor> apply_node(Node* n, std::vector<Tensor> gradients);

// The number of the backward pass that runs on this thread, 0 for none.
uint32_t current_run();
// Whether it was asked for some inputs only.
bool run_selects();
// Whether that pass will bring a gradient to the edge, or has done so.
bool run_reaches(Edge edge);
// Has a function called at the end of that pass; raises if there is none.
void queue_callback(PyObject* function);

// Whether the outputs depend on anything but the inputs and what was recorded after node number `since`.
bool reaches_beyond(std::span<const Tensor> outputs, std::span<const Tensor> inputs, uint64_t since, uint32_t transform,
                    std::span<const Tensor> arguments);

}  // namespace chainrule
