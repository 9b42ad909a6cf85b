// Products of elements, differentiable any number of times even where elements are zero.
#include "ops/create/create.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/reduce/scan.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

OpInfo kProd{"prod", "ProdBackward0", "g * the product of all other elements"};
OpInfo kProdDim{"prod", "ProdBackward1", "g * the product of all other elements"};

DType prod_dtype(const Tensor& x, MaybeDType dtype) {
  DType result = dtype ? *dtype : is_differentiable(x.dtype()) ? x.dtype() : DType::Int64;
  check_autograd_dtype(x, result);
  return result;
}

bool has_zero(const Tensor& x) {
  GradModeScope off(false);
  Tensor found = any(elementwise(OpId::eq, {x, Scalar(0.0)}), {}, false);
  return item(found).integer != 0;
}

// The product of all other elements along `dim`; `y` is the product of all, ready to broadcast.
Tensor product_of_others(const Tensor& x, const Tensor& y, int dim) {
  if (x.ndim() == 0) return full(Dims{}, Scalar(1.0), x.dtype());  // y / x would be NaN where x is
  if (!has_zero(x)) return elementwise(OpId::div, {y, x});
  return elementwise(OpId::mul,
                     {product_before(x, dim, Direction::Forward), product_before(x, dim, Direction::Reverse)});
}

}  // namespace

Tensor prod(const Tensor& x, MaybeDType dtype) {
  DType type = prod_dtype(x, dtype);
  Tensor y = run_reduction(ReduceOp::Prod, x, reduced_dims({}, x.ndim()), false, {type, type});
  if (!is_differentiable(type)) return y;
  return record(kProd, y, {&x}, {&x, &y}, [](Backward& b) {
    Tensor x = b.saved(0), y = b.saved(1);
    Tensor row = x.ndim() == 0 ? x : reshape(x, Dims{-1});
    Tensor others = product_of_others(to_dtype(row, y.dtype()), y, 0);
    b.give(0, elementwise(OpId::mul, {b.g(), conj(reshape(others, x.sizes()))}));
  });
}

Tensor prod(const Tensor& x, int64_t dim, bool keepdim, MaybeDType dtype) {
  DType type = prod_dtype(x, dtype);
  int d = wrap_dim(dim, x.ndim());
  Tensor y = run_reduction(ReduceOp::Prod, x, uint64_t{1} << d, keepdim, {type, type});
  if (!is_differentiable(type)) return y;
  return record(kProdDim, y, {&x}, {&x, &y}, [d, keepdim](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "keepdim", keepdim);
    Tensor y = b.saved(1), x = to_dtype(b.saved(0), y.dtype()), g = b.g();
    bool squeezed = !keepdim && x.ndim() > 0;
    Tensor others = product_of_others(x, squeezed ? unsqueeze(y, d) : y, d);
    b.give(0, elementwise(OpId::mul, {squeezed ? unsqueeze(g, d) : g, conj(others)}));
  });
}

}  // namespace chainrule
