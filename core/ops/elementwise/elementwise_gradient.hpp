// The history of an elementwise call: what it saves and how its gradients are calculated.
#pragma once
#include <optional>

#include "autograd/gradient_chain.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace chainrule {

// PyTorch's node has another name where operands are numbers.
OpInfo* node_info(const OpRecord& op, std::span<const Operand> in);

// Gradients keep numbers as doubles: one with an imaginary part as a tensor in its place, a null handle for all else.
Tensor complex_number(const Operand& number, DType dtype);

// Makes the node of a call; null if no input requires a gradient. `former`: per input, a copy from before an in-place
// write, or a null handle; null when there are none.
Node* make_elementwise_node(const OpRecord& op, std::span<const Operand> in, const double* parameters,
                            const Tensor& out, const Tensor* former);

// The gradient of input k of a line that was not recorded by itself: one pass over memory, or operations where it is
// recorded. It reads no output.
Tensor line_gradient(const OpRecord& op, int k, const Tensor& g, std::span<const Operand> in, const double* parameters);

// What a call was recorded with, for those who explain it.
struct RecordedOperands {
  const OpRecord* op;
  double parameters[5];
  double numbers[kMaxInputs];  // of inputs that were numbers
  bool is_number[kMaxInputs];
  int slots[kMaxInputs], output_slot;  // among the saved tensors; -1: not saved
};
// Nothing if the node is not of an elementwise call.
std::optional<RecordedOperands> recorded_operands(const Node* n);

}  // namespace chainrule
