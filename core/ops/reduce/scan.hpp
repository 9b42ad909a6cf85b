// Running sums, products and extremes along one dimension.
#pragma once
#include "ops/reduce/reduce.hpp"

namespace chainrule {

Tensor cumsum(const Tensor& x, int64_t dim, MaybeDType dtype);
Tensor cumprod(const Tensor& x, int64_t dim, MaybeDType dtype);
std::pair<Tensor, Tensor> cummax(const Tensor& x, int64_t dim);  // values, indices
std::pair<Tensor, Tensor> cummin(const Tensor& x, int64_t dim);
Tensor logcumsumexp(const Tensor& x, int64_t dim);

// What gradients of scans and products are made of; differentiable themselves.
enum class Direction : bool { Forward, Reverse };
constexpr Direction opposite(Direction d) { return d == Direction::Forward ? Direction::Reverse : Direction::Forward; }
Tensor running_sum(const Tensor& x, int dim, Direction direction);
Tensor running_product(const Tensor& x, int dim, Direction direction);
// The product of all earlier elements, without the element itself.
Tensor product_before(const Tensor& x, int dim, Direction direction);
// y[i] = b[i] + a[i] * y[i - 1], from zero.
Tensor recurrence(const Tensor& a, const Tensor& b, int dim, Direction direction);
// y[i] = x[i - 1], with `fill` at the start (Reverse: x[i + 1], with `fill` at the end).
Tensor shift(const Tensor& x, int dim, Direction direction, double fill);

}  // namespace chainrule
