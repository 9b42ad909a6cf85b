// Products of vectors, matrices and batches of matrices: shapes, dtypes and the choice of product.
#include "ops/matmul/matmul.hpp"

#include "autograd/record.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/matmul/matmul_checks.hpp"
#include "ops/matmul/product.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kMm{"mm", "MmBackward0", "a: g @ b.T, b: a.T @ g"};
OpInfo kMv{"mv", "MvBackward0", "matrix: outer(g, vector), vector: matrix.T @ g"};
OpInfo kDot{"dot", "DotBackward0", "a: g * b, b: g * a"};
OpInfo kVdot{"vdot", "VdotBackward0", "a: conj(g) * b, b: g * a"};
OpInfo kBmm{"bmm", "BmmBackward0", "a: g @ b.mT, b: a.mT @ g"};
// PyTorch builds these from several operations; their nodes carry the name of the last.
OpInfo kRowMatmul{"matmul", "SqueezeBackward4", "a: g @ b.T, b: outer(a, g)"};
OpInfo kMatmul{"matmul", "UnsafeViewBackward0", "a: g @ b.mT, b: a.mT @ g, summed over broadcast dimensions"};

Dims with_last(Span sizes, int64_t last) {
  Dims result(sizes);
  result.back() = last;
  return result;
}

Tensor mul(const Tensor& a, const Tensor& b) { return elementwise(OpId::mul, {a, b}); }

Tensor times_matrix(OpInfo& op, const Tensor& a, const Tensor& b, MultiplyRows multiply) {
  check_inner(a, b, b.size(0), b.size(1));
  check_same_dtype(a, b);
  check_multipliable(a, b, "addmm_impl_cpu_");
  return multiply(op, a, b, with_last(a.sizes(), b.size(1)), {});
}

Tensor times_vector(OpInfo& op, const Tensor& a, const Tensor& b) {
  check_matrix_vector(a, b);
  check_multipliable(a, b, "addmv_impl_cpu");
  return multiply_rows(op, a, b, a.sizes().first(a.sizes().size() - 1));
}

Span batch_of(const Tensor& t) { return t.ndim() > 2 ? t.sizes().first(t.sizes().size() - 2) : Span(); }

// Both have at least one dimension, and at least one has more than two.
Tensor batched_matmul(const Tensor& a, const Tensor& b) {
  int64_t k = a.size(a.ndim() - 1), inner = b.size(b.ndim() > 1 ? b.ndim() - 2 : 0);
  Dims batch = broadcast_shapes(batch_of(a), batch_of(b), "matmul");
  if (k != inner) raise_batch_mismatch(count(batch), k, inner, a, b);
  check_same_batch_dtype(a, b);
  check_multipliable(a, b, "bmm");
  Dims sizes(batch);
  if (a.ndim() > 1) sizes.push_back(a.size(a.ndim() - 2));
  if (b.ndim() > 1) sizes.push_back(b.size(b.ndim() - 1));
  return multiply_batches(kMatmul, a, b, batch, sizes);
}

Tensor mm(const Tensor& a, const Tensor& b, MultiplyRows multiply) {
  if (a.ndim() != 2) raise_not_matrix("self", "mm", a);
  if (b.ndim() != 2) raise_not_matrix("mat2", "mm", b);
  return times_matrix(kMm, a, b, multiply);
}

Tensor matmul(const Tensor& a, const Tensor& b, MultiplyRows multiply) {
  if (a.ndim() == 2 && b.ndim() == 2) return times_matrix(kMm, a, b, multiply);
  if (a.ndim() == 0 || b.ndim() == 0) {
    raise(PyExc_RuntimeError, "both arguments to matmul need to be at least 1D, but they are ", a.ndim(), "D and ",
          b.ndim(), "D: multiply by a number with *");
  }
  if (b.ndim() > 2 || !folds(a)) return batched_matmul(a, b);
  if (b.ndim() == 2) return times_matrix(a.ndim() == 1 ? kRowMatmul : kMatmul, a, b, multiply);
  return a.ndim() == 1 ? dot(a, b) : times_vector(a.ndim() == 2 ? kMv : kMatmul, a, b);
}

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b) { return mm(a, b, multiply_rows); }
Tensor mm_later(const Tensor& a, const Tensor& b) {
  return may_be_large(a, b) ? mm(a, b, multiply_rows_later) : mm(a, b, multiply_rows);
}
Tensor matmul(const Tensor& a, const Tensor& b) { return matmul(a, b, multiply_rows); }
Tensor matmul_later(const Tensor& a, const Tensor& b) {
  return may_be_large(a, b) ? matmul(a, b, multiply_rows_later) : matmul(a, b, multiply_rows);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  check_batches(a, b);
  check_same_batch_dtype(a, b);
  check_multipliable(a, b, "bmm");
  return multiply_batches(kBmm, a, b, Dims{a.size(0)}, Dims{a.size(0), a.size(1), b.size(2)});
}

Tensor mv(const Tensor& matrix, const Tensor& vector) {
  if (matrix.ndim() != 2 || vector.ndim() != 1) {
    raise(PyExc_RuntimeError, "vector + matrix @ vector expected, got 1, ", matrix.ndim(), ", ", vector.ndim(),
          ": mv takes a matrix and a vector, and these have ", matrix.ndim(), " and ", vector.ndim(),
          " dimensions. matmul (the operator @) takes any.");
  }
  return times_vector(kMv, matrix, vector);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_vectors(a, b);
  Tensor none;
  return record(kDot, product(a, transposed(b), {}), {&a, &b},
                {wants_gradient(b) ? &a : &none, wants_gradient(a) ? &b : &none}, [](Backward& b) {
                  if (b.needs(0)) b.give(0, mul(b.g(), conj(b.saved(1))));
                  if (b.needs(1)) b.give(1, mul(b.g(), conj(b.saved(0))));
                });
}

Tensor vdot(const Tensor& a, const Tensor& b) {
  check_vectors(a, b);
  Tensor none, left;
  {
    GradModeScope off(false);
    left = conj(a);
  }
  return record(kVdot, product(left, transposed(b), {}), {&a, &b},
                {wants_gradient(b) ? &a : &none, wants_gradient(a) ? &b : &none}, [](Backward& b) {
                  if (b.needs(0)) b.give(0, mul(conj(b.g()), b.saved(1)));
                  if (b.needs(1)) b.give(1, mul(b.g(), b.saved(0)));
                });
}

Tensor outer(const Tensor& a, const Tensor& b) {
  if (a.ndim() != 1) raise(PyExc_RuntimeError, "outer: Expected 1-D argument self, but got ", a.ndim(), "-D");
  if (b.ndim() != 1) raise(PyExc_RuntimeError, "outer: Expected 1-D argument vec2, but got ", b.ndim(), "-D");
  return mul(view(a, Dims{a.numel(), 1}), b);
}

Tensor inner(const Tensor& a, const Tensor& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return mul(a, b);
  if (a.size(a.ndim() - 1) != b.size(b.ndim() - 1)) {
    raise(PyExc_RuntimeError, "inner() the last dimension must match on both input tensors but got shapes ", a.sizes(),
          " and ", b.sizes());
  }
  if (a.dtype() != b.dtype()) {
    raise(PyExc_RuntimeError, "both inputs should have same dtype, but inner() got ", facts(a.dtype()).name, " and ",
          facts(b.dtype()).name);
  }
  if (b.ndim() == 1) return matmul(a, b);
  Dims sizes(a.sizes().first(a.sizes().size() - 1));
  for (int i = 0; i + 1 < b.ndim(); ++i) sizes.push_back(b.size(i));
  return reshape(linear(a, flatten(b, 0, -2), Tensor()), sizes);
}

}  // namespace chainrule
