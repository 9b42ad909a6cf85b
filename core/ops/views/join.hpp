// Putting tensors together.
#pragma once
#include <span>
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

using Tensors = std::span<const Tensor>;

Tensor cat(Tensors tensors, int64_t dim);
Tensor stack(Tensors tensors, int64_t dim);
Tensor hstack(Tensors tensors);
Tensor vstack(Tensors tensors);
Tensor dstack(Tensors tensors);
Tensor column_stack(Tensors tensors);
Tensor block_diag(Tensors tensors);

Tensor atleast_1d(const Tensor& t);
Tensor atleast_2d(const Tensor& t);
Tensor atleast_3d(const Tensor& t);
std::vector<Tensor> broadcast_tensors(Tensors tensors);

}  // namespace chainrule
