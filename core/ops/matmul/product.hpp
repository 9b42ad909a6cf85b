// Products of the matrices inside tensors: what every operation of the matmul family is made of.
#pragma once
#include "autograd/node.hpp"
#include "tensor/complex.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

// A tensor seen as a matrix, or as a batch of them. On its own a vector is one row, and the leading dimensions of a
// tensor with more than two are folded into rows; in a batch only the last two dimensions count.
struct Factor {
  const Tensor* tensor;
  bool turned = false;                     // use the transpose of that matrix
  Factor(const Tensor& t) : tensor(&t) {}  // NOLINT: a tensor is a factor
  Factor(const Tensor& t, bool turn) : tensor(&t), turned(turn) {}
};
inline Factor transposed(const Tensor& t) { return {t, true}; }

// What is added to a product: beta * input + alpha * product. A null input: nothing.
struct Addend {
  const Tensor* input = nullptr;
  Complex<double> beta = 1, alpha = 1;
};
// Checks that both numbers fit the dtype.
Addend addend(const Tensor& input, const Scalar& beta, const Scalar& alpha);

// Without history. The result has `sizes`; halves are calculated in float and small integers in int64, rounded once.
Tensor product(Factor a, Factor b, Span sizes, const Addend& add = {});
// The same, if it can wait and be had block by block: floats, no factor that has to be copied, not so deep that it
// would take far longer than whatever is done with the blocks. Else a null handle.
Tensor waiting_product(const Tensor& a, Factor b, Span sizes, const Addend& add);
// One product per entry of `batch`, the shape that the factors' leading dimensions broadcast to.
Tensor batched_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add = {});
// The sum of those products.
Tensor summed_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add = {});

// rows(a) @ b with history; b is a matrix, or a vector to be used as a column, or `turned`, a matrix (n, k).
Tensor multiply_rows(OpInfo& op, const Tensor& a, Factor b, Span sizes, const Addend& add = {});
// The same for a user's own call, whose calculation may wait; see Note [Pending operations].
Tensor multiply_rows_later(OpInfo& op, const Tensor& a, Factor b, Span sizes, const Addend& add = {});
using MultiplyRows = Tensor (*)(OpInfo& op, const Tensor& a, Factor b, Span sizes, const Addend& add);
// a @ b for each entry of the batch, with history; a vector a is one row, a vector b one column.
Tensor multiply_batches(OpInfo& op, const Tensor& a, const Tensor& b, Span batch, Span sizes, const Addend& add = {});
Tensor multiply_summed(OpInfo& op, const Tensor& a, const Tensor& b, Span sizes, const Addend& add);

// Whether the leading dimensions of `t` can be folded into rows without a copy.
bool folds(const Tensor& t);
// Whether an operation that reads `t` will be asked for its gradient.
bool wants_gradient(const Tensor& t);
// w * t, or `t` itself when w is 1.
Tensor scaled(const Tensor& t, Complex<double> w);
// Raises for factors whose dtype has no products, in PyTorch's words.
void check_multipliable(const Tensor& a, const Tensor& b, const char* kernel);

}  // namespace chainrule
