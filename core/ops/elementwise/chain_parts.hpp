// Operands and results of elementwise operations, as a chain describes them.
#pragma once
#include "backends/chain.hpp"
#include "backends/line_kernels.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/elementwise/table.hpp"

namespace chainrule {

inline ChainInput chain_input(const Operand& o, Span sizes) {
  if (!o.tensor) return {.number = o.scalar};
  return {o.tensor->data, o.tensor->dtype, broadcast_strides(o.tensor, sizes), {}, o.tensor->numel == 1};
}
inline ChainOutput chain_output(ChainOperand value, const Tensor& out) {
  return {value, out->data, out.dtype(), out.strides()};
}

// Whether a backend calculates the line's value and gradients with this dtype.
inline bool has_arithmetic(const OpRecord& op, DType t) {
  if (holds_complex(t)) return takes_complex(op.domain);
  return holds_floating(t) ? takes_floating(op.domain) : takes_integers(op.domain);
}

// Whether both are contiguous, of one shape and dtype.
inline bool matches(const TensorObject* t, const TensorObject* g) {
  return t->has(kContiguous) && t->dtype == g->dtype && t->numel == g->numel &&
         equal({t->sizes(), t->ndim}, {g->sizes(), g->ndim});
}

}  // namespace chainrule
