// Elementwise operations: every line of elementwise.def as a function on tensors and numbers.
#pragma once
#include "ops/elementwise/promotion.hpp"
#include "ops/elementwise/table.hpp"

namespace chainrule {

// The op's value with its history. `parameters` has record_of(id).parameter_count entries, or is null when there are
// none.
Tensor elementwise(OpId id, std::span<const Operand> operands, const double* parameters = nullptr);
inline Tensor elementwise(OpId id, std::initializer_list<Operand> operands, const double* parameters = nullptr) {
  return elementwise(id, std::span<const Operand>(operands.begin(), operands.size()), parameters);
}
// The same for a user's own call, whose calculation may wait; see Note [Pending operations].
Tensor elementwise_later(OpId id, std::span<const Operand> operands, const double* parameters = nullptr);
// Overwrites operands[0], a tensor, with the result.
Tensor elementwise_inplace(OpId id, std::span<const Operand> operands, const double* parameters = nullptr);
inline Tensor elementwise_inplace(OpId id, std::initializer_list<Operand> operands,
                                  const double* parameters = nullptr) {
  return elementwise_inplace(id, std::span<const Operand>(operands.begin(), operands.size()), parameters);
}
// Writes into `out`, which is resized when its shape differs; not recorded, as with PyTorch's out=.
Tensor elementwise_out(OpId id, std::span<const Operand> operands, const double* parameters, const Tensor& out);

// The gradient with respect to input k as tensor code, differentiable again: the line's own text, read as tensor
// operations. Declared here, made in formula.cpp. `y` and unread inputs may be null handles.
Tensor gradient_formula(const OpRecord& op, int k, const Tensor& g, std::span<const Operand> inputs, const Tensor& y,
                        const double* parameters);

}  // namespace chainrule
