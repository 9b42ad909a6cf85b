// What PyTorch refuses although the line's domain takes the dtype, in PyTorch's words.
#pragma once
#include "ops/elementwise/promotion.hpp"
#include "ops/elementwise/table.hpp"

namespace chainrule {

// Raises if this call is not allowed. `common` is the dtype that the operands were promoted to.
void refuse_operands(const OpRecord& op, std::span<const Operand> in, const double* parameters, DType common);
// Raises if PyTorch's kernel refuses the dtype, or a number that it cannot hold.
void refuse_dtype(const OpRecord& op, std::span<const Operand> in, const double* parameters, DType common);
// In PyTorch's words.
[[noreturn]] void raise_unsupported(const OpRecord& op, DType t);
// Raises if the op has no value for these parameters, whatever the numbers are.
void refuse_parameters(const OpRecord& op, std::span<const Operand> in, const double* parameters);
// Raises if a result of one dtype may not be written into a tensor of the other; see can_cast.
void check_cast(DType result, DType to);
// Raises if the result may not be written into a tensor of this dtype, given as out=.
void refuse_out(const OpRecord& op, std::span<const Operand> in, DType result, DType out);

}  // namespace chainrule
