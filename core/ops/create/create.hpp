// Fresh tensors.
#pragma once
#include "autograd/node.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/indexing/write.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

// Whether what empty() and its kin give is filled with values that stand out, as deterministic programs ask for.
inline bool fills_new_memory = false;

void check_fits(const Scalar& value, DType dtype);  // raises where it is beyond the dtype
Tensor full(Span sizes, const Scalar& value, DType dtype);
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype);
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, DType dtype);
Tensor eye(int64_t n, int64_t m, DType dtype);
Tensor scalar_tensor(const Scalar& value, DType dtype);

// `self` was overwritten by what does not depend on it: its new history, with a gradient of zero.
// `other` is a second input of the operation that counts as little.
Tensor record_fill(OpInfo& op, const Tensor& self, const Tensor& other = Tensor());
Tensor fill(const Tensor& x, const Scalar& value, Place place);
Tensor fill(const Tensor& x, const Tensor& value, Place place);  // a 0-d tensor
Tensor zero_(const Tensor& self);

}  // namespace chainrule
