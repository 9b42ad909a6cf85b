// Norms of vectors.
#include <cmath>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

OpInfo kNorm{"linalg_vector_norm", "LinalgVectorNormBackward0", "g * sgn(x) * (|x| / y)^(ord - 1)"};

Tensor magnitude(const Tensor& x) { return holds_complex(x.dtype()) ? abs_complex(x) : elementwise(OpId::abs, {x}); }
Tensor power(const Tensor& x, double p) { return elementwise(OpId::pow, {x, p}); }

Tensor zero_where(const Tensor& condition, const Tensor& x) {
  return elementwise(OpId::where, {condition, Scalar(0.0), x});
}
// 1 in place of 0, so that a division has nothing to hide.
Tensor never_zero(const Tensor& x) {
  return elementwise(OpId::where, {elementwise(OpId::eq, {x, 0.0}), Scalar(1.0), x});
}
Tensor direction(const Tensor& x) { return holds_complex(x.dtype()) ? sgn_complex(x) : elementwise(OpId::sign, {x}); }

void check_norm(const Tensor& x, double ord, const Dims& dims, MaybeDType dtype) {
  if (!is_differentiable(x.dtype())) {
    raise(PyExc_RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
          facts(x.dtype()).tensor_name);
  }
  if (dtype && holds_complex(*dtype) != holds_complex(x.dtype())) {
    raise(PyExc_RuntimeError, "linalg.vector_norm: dtype should be ", holds_complex(x.dtype()) ? "complex" : "real",
          " for ", holds_complex(x.dtype()) ? "complex" : "real", " inputs, but got ", facts(*dtype).tensor_name);
  }
  if (dtype && promote(x.dtype(), *dtype) != *dtype) {
    raise(PyExc_RuntimeError, "linalg.vector_norm: the dtype of the input (", facts(x.dtype()).tensor_name,
          ") should be convertible without narrowing to the specified dtype (", facts(*dtype).tensor_name, ")");
  }
  if (x.numel() > 0 || (ord >= 0 && !std::isinf(ord))) return;
  uint64_t reduced = reduced_dims(dims, x.ndim());
  for (int i = 0; i < x.ndim(); ++i) {
    if ((reduced >> i & 1) && x.size(i) == 0) {
      std::string what = dims.empty() ? "an empty tensor because"
                                      : "the dimension " + std::to_string(i) + " because this dimension is empty and";
      raise(PyExc_RuntimeError, "linalg.vector_norm cannot compute the ", ord, " norm on ", what,
            " the operation does not have an identity");
    }
  }
}

Tensor norm_value(const Tensor& x, double ord, uint64_t reduced, const Dims& dims, bool keepdim) {
  if (is_float8(x.dtype())) refuse_limited("norm_cpu", x.dtype());
  GradModeScope off(false);
  if (ord == 2) {
    // A complex number counts as its two parts.
    DType type = real_of(x.dtype());
    bool complex = holds_complex(x.dtype());
    uint64_t all = complex ? reduced | uint64_t{1} << x.ndim() : reduced;
    Tensor squares = run_reduction(ReduceOp::SumSquares, complex ? view_as_real(x) : x, all, keepdim, {type, type});
    if (complex && keepdim) squares = sum(squares, Dims{-1}, false, {});
    return elementwise(OpId::sqrt, {squares});
  }
  if (ord == 0) return to_dtype(sum(elementwise(OpId::ne, {x, 0.0}), dims, keepdim, {}), real_of(x.dtype()));
  Tensor sizes = magnitude(x);
  if (ord == 1) return sum(sizes, dims, keepdim, {});
  if (std::isinf(ord)) return ord > 0 ? amax(sizes, dims, keepdim) : amin(sizes, dims, keepdim);
  return power(sum(power(sizes, ord), dims, keepdim, {}), 1 / ord);
}

Tensor norm_gradient(const Tensor& x, const Tensor& y, const Tensor& g, double ord, const ReducedShape& s) {
  if (ord == 0) return zeros(x.sizes(), x.dtype());
  if (ord == 1) return mul(direction(x), g);
  if (ord == 2 && !grad_enabled()) return mul(x, elementwise(OpId::div, {g, never_zero(y)}));
  // Zero at the origin. There is no second derivative there: written like this it is NaN, as PyTorch's is.
  if (ord == 2) return mul(g, zero_where(elementwise(OpId::eq, {y, 0.0}), elementwise(OpId::div, {x, y})));
  Tensor sizes = magnitude(x);
  if (std::isinf(ord)) {
    Tensor ties = elementwise(OpId::eq, {sizes, y});
    Dims dims;
    for (int i = 0; i < s.sizes.size(); ++i) {
      if (s.reduced >> i & 1) dims.push_back(i);
    }
    Tensor count = to_dtype(sum(ties, dims, true, {}), y.dtype());  // as integers they would become the default dtype
    Tensor share = elementwise(OpId::div, {g, never_zero(count)});
    return mul(direction(x), elementwise(OpId::where, {ties, share, Scalar(0.0)}));
  }
  Tensor is_zero = elementwise(OpId::eq, {sizes, 0.0});
  if (ord < 1) {
    Tensor scaled = mul(direction(x), zero_where(is_zero, power(sizes, ord - 1)));
    return mul(scaled, mul(g, power(y, 1 - ord)));
  }
  Tensor scaled = ord < 2 ? mul(direction(x), power(sizes, ord - 1)) : mul(x, power(sizes, ord - 2));
  Tensor scale = elementwise(OpId::div, {g, power(y, ord - 1)});
  return mul(scaled, zero_where(elementwise(OpId::eq, {y, 0.0}), scale));
}

}  // namespace

Tensor vector_norm(const Tensor& x, double ord, const Dims& dims, bool keepdim, MaybeDType dtype) {
  check_norm(x, ord, dims, dtype);
  uint64_t reduced = reduced_dims(dims, x.ndim());
  DType type = dtype.value_or(x.dtype());
  Tensor y;
  {
    GradModeScope off(false);
    // The half types are rounded once, not at every step.
    DType wide = is_floating(type) ? kernel_dtype(type) : type;
    y = to_dtype(norm_value(to_dtype(to_dtype(x, type), wide), ord, reduced, dims, keepdim), real_of(type));
  }
  return record_reduction(kNorm, y, x, reduced, keepdim, {&x, &y},
                          [ord](Backward& b, const ReducedShape& s, Kept* kept) {
                            if (kept) return kept->add("ord", ord);
                            b.give(0, norm_gradient(b.saved(0), s.restore(b.saved(1)), s.restore(b.g()), ord, s));
                          });
}

Tensor norm(const Tensor& x, double p, const Dims& dims, bool keepdim, MaybeDType dtype) {
  return vector_norm(x, p, dims, keepdim, dtype);
}

}  // namespace chainrule
