// The layout in memory of an elementwise operation's fresh result.
#pragma once
#include "ops/elementwise/elementwise.hpp"

namespace chainrule {

// Whether a contiguous operand's strides are kept as they are, also those of dimensions of size one. As in PyTorch,
// where equal shapes take a path that makes them anew and a number does not.
inline bool keeps_strides(std::span<const Operand> in) { return in.size() == 2 && !(in[0].tensor && in[1].tensor); }

inline bool has_shape(const TensorObject* t, Span sizes) { return equal(Span(t->sizes(), t->ndim), sizes); }

// The strides that PyTorch gives such a result, of which the operands' memory orders decide.
Dims fresh_strides(const OpRecord& op, Span sizes, std::span<const Operand> in);

}  // namespace chainrule
