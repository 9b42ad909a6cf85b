// Products of vectors, matrices and batches of matrices. A null handle stands for an argument that was not given.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

Tensor mm(const Tensor& a, const Tensor& b);   // (m, k) @ (k, n)
Tensor bmm(const Tensor& a, const Tensor& b);  // (batch, m, k) @ (batch, k, n)
Tensor mv(const Tensor& matrix, const Tensor& vector);
Tensor dot(const Tensor& a, const Tensor& b);
Tensor vdot(const Tensor& a, const Tensor& b);  // conj(a) . b
Tensor outer(const Tensor& a, const Tensor& b);
Tensor inner(const Tensor& a, const Tensor& b);   // over the last dimension of both
Tensor matmul(const Tensor& a, const Tensor& b);  // 1-d to n-d, batches broadcast

// beta * input + alpha * product; beta == 0 ignores the input's values, NaN included. (addmm.cpp)
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha);
Tensor addmv(const Tensor& input, const Tensor& matrix, const Tensor& vector, const Scalar& beta, const Scalar& alpha);
Tensor addr(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha);
Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha);
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha);

// input @ weight.T + bias (bias may be null).
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

// The same for a user's own call, whose calculation may wait; see Note [Pending operations].
Tensor mm_later(const Tensor& a, const Tensor& b);
Tensor matmul_later(const Tensor& a, const Tensor& b);
Tensor linear_later(const Tensor& input, const Tensor& weight, const Tensor& bias);

}  // namespace chainrule
