// Fresh tensors.
#pragma once
#include "ops/accumulate.hpp"
#include "ops/write.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

Tensor full(Span sizes, const Scalar& value, DType dtype);
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype);
Tensor linspace(double start, double end, int64_t steps, DType dtype);
Tensor eye(int64_t n, int64_t m, DType dtype);
Tensor scalar_tensor(const Scalar& value, DType dtype);

Tensor fill(const Tensor& x, const Scalar& value, Place place);
Tensor fill(const Tensor& x, const Tensor& value, Place place);  // a 0-d tensor
Tensor zero_(const Tensor& self);

}  // namespace chainrule
