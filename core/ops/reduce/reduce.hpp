// Operations that make one value of many: sums, products, extremes, spread, truth.
//
// `dims` lists the dimensions to reduce over; an empty list means all of them, as dim=None or dim=() in PyTorch.
#pragma once
#include <optional>
#include <utility>

#include "tensor/tensor.hpp"

namespace chainrule {

using MaybeDType = std::optional<DType>;
using MaybeDim = std::optional<int64_t>;

// ---- fold.cpp
// The dimensions that a reduction runs over, counted from 0 and each at most once: bit i stands for dimension i.
uint64_t reduced_dims(const Dims& dims, int ndim);
// The shape after reducing `sizes` over those dimensions.
Dims reduced_sizes(Span sizes, uint64_t reduced, bool keepdim);
// A reduction's result seen with the reduced dimensions as size 1 again (itself when they were kept).
Tensor restore_dims(const Tensor& t, Span input_sizes, uint64_t reduced, bool keepdim);

// ---- reduce_sum.cpp
Tensor sum(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype);
Tensor mean(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype);
Tensor nansum(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype);
Tensor nanmean(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype);
Tensor count_nonzero(const Tensor& x, const Dims& dims);
Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim);

// ---- reduce_product.cpp
Tensor prod(const Tensor& x, MaybeDType dtype);
Tensor prod(const Tensor& x, int64_t dim, bool keepdim, MaybeDType dtype);

// ---- reduce_extremes.cpp: NaN wins over every number
Tensor amax(const Tensor& x, const Dims& dims, bool keepdim);
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim);
std::pair<Tensor, Tensor> aminmax(const Tensor& x, MaybeDim dim, bool keepdim);
Tensor max_all(const Tensor& x);
Tensor min_all(const Tensor& x);
std::pair<Tensor, Tensor> max_dim(const Tensor& x, int64_t dim, bool keepdim);  // values, indices
std::pair<Tensor, Tensor> min_dim(const Tensor& x, int64_t dim, bool keepdim);
Tensor argmax(const Tensor& x, MaybeDim dim, bool keepdim);
Tensor argmin(const Tensor& x, MaybeDim dim, bool keepdim);

// ---- reduce_truth.cpp
Tensor any(const Tensor& x, const Dims& dims, bool keepdim);
Tensor all(const Tensor& x, const Dims& dims, bool keepdim);
// As any and all, for the spelling with a list of dimensions, where an empty list reduces nothing.
Tensor any_dims(const Tensor& x, const Dims& dims, bool keepdim);
Tensor all_dims(const Tensor& x, const Dims& dims, bool keepdim);

// ---- reduce_spread.cpp
Tensor var(const Tensor& x, const Dims& dims, double correction, bool keepdim);
Tensor standard_deviation(const Tensor& x, const Dims& dims, double correction, bool keepdim);
std::pair<Tensor, Tensor> var_mean(const Tensor& x, const Dims& dims, double correction, bool keepdim);
std::pair<Tensor, Tensor> std_mean(const Tensor& x, const Dims& dims, double correction, bool keepdim);

// ---- reduce_norm.cpp
// (sum |x|^ord)^(1/ord) with the limits at 0 and +-inf.
Tensor vector_norm(const Tensor& x, double ord, const Dims& dims, bool keepdim, MaybeDType dtype);
Tensor norm(const Tensor& x, double p, const Dims& dims, bool keepdim, MaybeDType dtype);

}  // namespace chainrule
