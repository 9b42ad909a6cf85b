// Elements along a dimension in order: all of them, or the first few.
#pragma once
#include <optional>
#include <utility>

#include "tensor/tensor.hpp"

namespace chainrule {

using ValuesAndIndices = std::pair<Tensor, Tensor>;

// Always stable. A call that gave stable= is another operation in PyTorch's graph.
ValuesAndIndices sort(const Tensor& x, int64_t dim, bool descending, bool gave_stable);
Tensor argsort(const Tensor& x, int64_t dim, bool descending);
Tensor msort(const Tensor& x);
ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t dim, bool largest, bool sorted);

}  // namespace chainrule
