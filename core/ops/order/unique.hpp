// The different elements of a tensor, or its different slices along one dimension.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

struct Unique {
  Tensor values;
  Tensor inverse;  // which of the values each element is; null if not asked for
  Tensor counts;   // how often each value occurs
};

// In order, whether or not it was asked for: PyTorch's are, too.
Unique unique(const Tensor& x, bool inverse);
Unique unique_slices(const Tensor& x, int64_t dim, bool inverse);
// Without repetitions of a neighbour, in the order found.
Unique unique_consecutive(const Tensor& x, bool inverse);
Unique unique_consecutive_slices(const Tensor& x, int64_t dim, bool inverse);

}  // namespace chainrule
