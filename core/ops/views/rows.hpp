// A tensor's elements as contiguous rows along one of its dimensions, and back.
#pragma once
#include "backends/sort.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// The elements without history, contiguous, with `dim` as the last dimension.
Tensor with_dim_last(const Tensor& x, int dim);
PackedRows rows_of(const Tensor& dim_last);

// For a kernel that reads its input several times over, and would be led astray by another thread that writes
// meanwhile: makes `from`, which may show the elements of x, a copy if there are other threads. Gives the work after
// which Python's lock is let go (tensor/unlocked.hpp).
double make_steady(Tensor& from, const Tensor& x);

// A result whose last dimension belongs at `dim`, contiguous.
Tensor with_dim_back(const Tensor& result, int dim);
// The same in the memory order of `like`, which has its shape.
Tensor with_dim_back(const Tensor& result, int dim, const Tensor& like);

}  // namespace chainrule
