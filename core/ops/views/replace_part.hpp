// A copy of a tensor with a part of it, which a view could show, replaced.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index);
Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step);
Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2);
// `offset` is counted from the beginning of the storage.
Tensor as_strided_scatter(const Tensor& x, const Tensor& src, Span size, Span stride, std::optional<int64_t> offset);

}  // namespace chainrule
