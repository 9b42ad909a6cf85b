// Elements along a dimension in order: all of them, or the first few.
#pragma once
#include <optional>
#include <utility>

#include "tensor/tensor.hpp"

namespace chainrule {

using ValuesAndIndices = std::pair<Tensor, Tensor>;

// The argument stable=. A call that gives it is another operation in PyTorch's graph.
enum class Stable : uint8_t { NotGiven, No, Yes };

ValuesAndIndices sort(const Tensor& x, int64_t dim, bool descending, Stable stable);
Tensor argsort(const Tensor& x, int64_t dim, bool descending, Stable stable);
Tensor msort(const Tensor& x);
ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t dim, bool largest, bool sorted);

}  // namespace chainrule
