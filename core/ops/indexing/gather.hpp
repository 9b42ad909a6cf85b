// Reading at positions: gather, take_along_dim, index_select, take.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse = false);
// Broadcasts both against each other, apart from `dim`, along which indices go round; without one, takes from the
// flattened tensor.
Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<int64_t> dim);
// The slices along `dim` that a vector names.
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
// Elements counted in the order of indices; has the shape of the index.
Tensor take(const Tensor& x, const Tensor& index);

// An index for reading from or writing to `whole` along one dimension: its rank checked, as int64.
Tensor checked_along(const char* op, const char* name, const Tensor& whole, const Tensor& index);

}  // namespace chainrule
