// Softmax and its logarithm.
#pragma once
#include "ops/reduce/reduce.hpp"

namespace chainrule {

Tensor softmax(const Tensor& x, int64_t dim, MaybeDType dtype);
Tensor log_softmax(const Tensor& x, int64_t dim, MaybeDType dtype);

}  // namespace chainrule
