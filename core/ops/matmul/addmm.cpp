// Products that are added to something: addmm and its kin, and linear.
#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/matmul_checks.hpp"
#include "ops/matmul/product.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kAddmm{"addmm", "AddmmBackward0", "input: beta * g, a: alpha * g @ b.T, b: alpha * a.T @ g"};
OpInfo kAddmv{"addmv", "AddmvBackward0",
              "input: beta * g, matrix: alpha * outer(g, vector), vector: alpha * matrix.T @ g"};
OpInfo kAddr{"addr", "AddrBackward0", "input: beta * g, a: alpha * g @ b, b: alpha * g.T @ a"};
OpInfo kAddbmm{"addbmm", "AddbmmBackward0", "input: beta * g, a: alpha * g @ b.mT, b: alpha * a.mT @ g"};
OpInfo kBaddbmm{"baddbmm", "BaddbmmBackward0", "input: beta * g, a: alpha * g @ b.mT, b: alpha * a.mT @ g"};
// PyTorch builds linear from several operations; its node carries the name of the last.
constexpr const char* kWithoutBias = "x: g @ weight, weight: g.T @ x";
constexpr const char* kWithBias = "bias: g summed over rows, x: g @ weight, weight: g.T @ x";
OpInfo kLinear{"linear", "MmBackward0", kWithoutBias};
OpInfo kLinearRow{"linear", "SqueezeBackward4", kWithoutBias};
OpInfo kLinearMany{"linear", "UnsafeViewBackward0", kWithoutBias};
OpInfo kLinearBias{"linear", "AddmmBackward0", kWithBias};
OpInfo kLinearBiasMany{"linear", "ViewBackward0", kWithBias};

void check_addend_dtype(const Tensor& input, const Tensor& a, const Tensor& b) {
  if (input.dtype() == b.dtype() && a.dtype() == b.dtype()) return;
  if (input.dtype() == b.dtype()) raise_factor_dtypes(a, b);
  raise(PyExc_RuntimeError, "self and mat2 must have the same dtype, but got ", facts(input.dtype()).tensor_name,
        " and ", facts(b.dtype()).tensor_name);
}

OpInfo& linear_op(const Tensor& input, bool bias) {
  if (input.ndim() == 2) return bias ? kLinearBias : kLinear;
  if (bias) return kLinearBiasMany;
  return input.ndim() == 1 ? kLinearRow : kLinearMany;
}

Tensor add(const Tensor& a, const Tensor& b) { return elementwise(OpId::add, {a, b}); }

// beta * input + alpha * a * b for dtypes that promote or that have no products, or where each step is rounded.
Tensor addr_elementwise(const Tensor& input, const Tensor& a, const Tensor& b, const Addend& w) {
  Tensor product = outer(scaled(a, w.alpha), b);
  if (w.beta == 0.0) return product;
  Tensor sum = add(scaled(input, w.beta), product);
  if (sum.size(0) == a.numel() && sum.ndim() == 2 && sum.size(1) == b.numel()) return sum;
  return expand(input, product.sizes());  // raises
}

// As PyTorch's kernel rounds them; recorded by the caller.
Tensor addr_of_halves(const Tensor& input, const Tensor& a, const Tensor& b, const Addend& w) {
  GradModeScope off(false);
  forward_mode::PauseScope pause;
  return addr_elementwise(input, a, b, w);
}

void check_weight_kind(DType dtype, const Scalar& s, const char* name) {
  if (s.kind == Scalar::kBool && !is_bool(dtype)) {
    raise(PyExc_RuntimeError, "Boolean ", name, " only supported for Boolean results.");
  }
  if (s.kind < Scalar::kFloat || is_floating(dtype) || is_complex(dtype)) return;
  raise(PyExc_RuntimeError, "For integral input tensors, argument ", name, " must not be a floating point number.");
}

}  // namespace

Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  check_addend_dtype(input, a, b);
  if (a.ndim() != 2) raise_not_matrix("mat1", "addmm", a);
  if (b.ndim() != 2) raise_not_matrix("mat2", "addmm", b);
  check_inner(a, b, b.size(0), b.size(1));
  check_multipliable(a, b, "addmm_impl_cpu_");
  return multiply_rows(kAddmm, a, b, Dims{a.size(0), b.size(1)}, addend(input, beta, alpha));
}

Tensor addmv(const Tensor& input, const Tensor& matrix, const Tensor& vector, const Scalar& beta, const Scalar& alpha) {
  if (matrix.ndim() != 2 || vector.ndim() != 1 || input.ndim() > 1) {
    raise(PyExc_RuntimeError, "vector + matrix @ vector expected, got ", input.ndim(), ", ", matrix.ndim(), ", ",
          vector.ndim());
  }
  int64_t rows = matrix.size(0), own = input.ndim() ? input.size(0) : 1;
  if (matrix.size(1) != vector.size(0) || (own != rows && own != 1)) {
    raise(PyExc_RuntimeError, "size mismatch, got input (", own, "), mat (", rows, "x", matrix.size(1), "), vec (",
          vector.size(0), ")");
  }
  if (input.dtype() != matrix.dtype() || input.dtype() != vector.dtype()) {
    raise(PyExc_RuntimeError, "addmv input tensors must have the same dtype, but got ",
          facts(input.dtype()).tensor_name, ", ", facts(matrix.dtype()).tensor_name, ", and ",
          facts(vector.dtype()).tensor_name);
  }
  check_multipliable(matrix, vector, "addmv_impl_cpu");
  return multiply_rows(kAddmv, matrix, vector, Dims{rows}, addend(input, beta, alpha));
}

Tensor addr(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (a.ndim() != 1) raise(PyExc_RuntimeError, "addr: Expected 1-D argument vec1, but got ", a.ndim(), "-D");
  if (b.ndim() != 1) raise(PyExc_RuntimeError, "addr: Expected 1-D argument vec2, but got ", b.ndim(), "-D");
  Operand all[] = {input, a, b};
  DType dtype = result_type(all);
  check_weight_kind(dtype, beta, "beta");
  check_weight_kind(dtype, alpha, "alpha");
  Addend add = addend(to_dtype(input, dtype), beta, alpha);
  add.input = &input;
  bool same = input.dtype() == dtype && a.dtype() == dtype && b.dtype() == dtype;
  if (!same || is_bool(dtype))
    return to_dtype(addr_elementwise(to_dtype(input, dtype), to_dtype(a, dtype), to_dtype(b, dtype), add), dtype);
  Tensor none, out = size_of(dtype) == 2 && is_floating(dtype)
                         ? addr_of_halves(input, a, b, add)
                         : product(transposed(a), b, Dims{a.numel(), b.numel()}, add);
  return record(kAddr, out, {&input, &a, &b}, {wants_gradient(b) ? &a : &none, wants_gradient(a) ? &b : &none},
                [beta = add.beta, alpha = add.alpha](Backward& b, Kept* kept) {
                  if (kept) return kept->add("beta", plain_number(beta.re), "alpha", plain_number(alpha.re));
                  if (b.needs(0)) b.give(0, scaled(b.g(), conj(beta)));
                  if (b.needs(1)) b.give(1, scaled(mv(b.g(), conj(b.saved(1))), conj(alpha)));
                  if (b.needs(2)) b.give(2, scaled(mv(t(b.g()), conj(b.saved(0))), conj(alpha)));
                });
}

Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (a.ndim() != 3) raise(PyExc_RuntimeError, "batch1 must be a 3D tensor, but it has the shape ", a.sizes());
  if (b.ndim() != 3) raise(PyExc_RuntimeError, "batch2 must be a 3D tensor, but it has the shape ", b.sizes());
  if (a.size(0) != b.size(0)) {
    raise(PyExc_RuntimeError, "batch1 and batch2 must have same number of batches, got ", a.size(0), " and ",
          b.size(0));
  }
  if (a.size(2) != b.size(1)) {
    raise(PyExc_RuntimeError, "Incompatible matrix sizes for bmm (", a.size(1), "x", a.size(2), " and ", b.size(1), "x",
          b.size(2), ")");
  }
  check_addend_dtype(input, a, b);
  check_multipliable(a, b, "addmm_impl_cpu_");
  return multiply_summed(kAddbmm, a, b, Dims{a.size(1), b.size(2)}, addend(input, beta, alpha));
}

Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (input.dtype() != a.dtype()) {
    raise(PyExc_RuntimeError, "Input dtypes must be the same, got: input ", element_name(input.dtype()),
          ", batch1: ", element_name(a.dtype()), ", batch2: ", element_name(b.dtype()));
  }
  check_batches(a, b);
  check_same_batch_dtype(a, b);
  check_multipliable(a, b, "baddbmm");
  return multiply_batches(kBaddbmm, a, b, Dims{a.size(0)}, Dims{a.size(0), a.size(1), b.size(2)},
                          addend(input, beta, alpha));
}

namespace {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias, MultiplyRows multiply) {
  if (input.ndim() == 0 || weight.ndim() == 0) {
    raise(PyExc_RuntimeError, "both arguments to linear need to be at least 1D, but they are ", input.ndim(), "D and ",
          weight.ndim(), "D");
  }
  if (weight.ndim() == 1) {
    if (bias && input.ndim() == 2) raise_not_matrix("mat2", "linear", weight);
    Tensor product = matmul(input, weight);
    return bias ? add(product, bias) : product;
  }
  if (weight.ndim() > 2) {
    raise(PyExc_RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is ", weight.ndim(),
          "D\n  linear: the weight must be a matrix (out_features, in_features).");
  }
  check_inner(input, weight, weight.size(1), weight.size(0));
  if (bias && bias.dtype() != input.dtype() && input.ndim() > 2 && !input.is_contiguous()) {
    // PyTorch adds it afterwards here, and so of any dtype.
    return to_dtype(add(linear(input, weight, Tensor(), multiply), bias), input.dtype());
  }
  if (bias)
    check_addend_dtype(bias, input, weight);
  else
    check_same_dtype(input, weight);
  check_multipliable(input, weight, "addmm_impl_cpu_");
  Dims sizes(input.sizes());
  sizes.back() = weight.size(0);
  Addend add;
  if (bias) add.input = &bias;
  return multiply(linear_op(input, static_cast<bool>(bias)), input, transposed(weight), sizes, add);
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return linear(input, weight, bias, multiply_rows);
}

Tensor linear_later(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return may_be_large(input, weight) ? linear(input, weight, bias, multiply_rows_later) : linear(input, weight, bias);
}

}  // namespace chainrule
