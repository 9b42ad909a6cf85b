// The same elements in another order, or several times.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

Tensor flip(const Tensor& t, Span dims);
Tensor roll(const Tensor& t, Span shifts, Span dims);  // no dims: rolls the flattened tensor
Tensor repeat(const Tensor& t, Span repeats);
Tensor tile(const Tensor& t, Span repeats);
// Each slice along `dim` so many times; without `dim` each element of the flattened tensor.
Tensor repeat_interleave(const Tensor& t, int64_t repeats, std::optional<int64_t> dim);
// Slice i repeats[i] times; `repeats` is a vector of integers, or one for all.
Tensor repeat_interleave(const Tensor& t, const Tensor& repeats, std::optional<int64_t> dim);
// Index i repeats[i] times.
Tensor repeated_indices(const Tensor& repeats);
Tensor movedim(const Tensor& t, Span source, Span destination);
Tensor unflatten(const Tensor& t, int64_t dim, Span sizes);

}  // namespace chainrule
