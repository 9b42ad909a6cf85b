// Conjugates and negatives that share memory with their base; see Note [Unresolved tensors].
#pragma once
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

Tensor conj_view(const Tensor& t);  // the tensor itself when real
Tensor neg_view(const Tensor& t);
Tensor resolve_conj(const Tensor& t);  // these two: itself when it lacks the bit
Tensor resolve_neg(const Tensor& t);

}  // namespace chainrule
