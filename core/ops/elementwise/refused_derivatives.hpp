// Derivatives that PyTorch refuses: the call is recorded, and a gradient that reaches it raises PyTorch's error.
#pragma once
#include "autograd/node.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/elementwise/table.hpp"

namespace chainrule {

// Whether a gradient may not pass this op, or its in-place form.
bool refuses_derivative(const OpRecord& op, bool inplace, const double* parameters);
// The node of such a call. In place, its first edge is that of the tensor written to.
Node* make_refusing_node(const OpRecord& op, bool inplace, const double* parameters, std::span<const Operand> in,
                         const Tensor& out);
// For ops like leaky_relu_: PyTorch reads from the result on which side of zero the input was.
[[noreturn]] void refuse_negative_slope(const char* name);
// Raises if an input has a tangent.
// Operations whose derivative by the first input nobody has written, here and in PyTorch: the node of a call where that
// is asked for, else null.
Node* make_node_refusing_first(const OpRecord& op, std::span<const Operand> in, const Tensor& out);
// Raises if an operand of such a call has a tangent.
void refuse_first_tangents(const OpRecord& op, std::span<const Operand> in);
void refuse_tangents(const OpRecord& op, std::span<const Operand> in);

}  // namespace chainrule
