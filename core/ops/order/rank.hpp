// One element by its rank or its frequency: the k-th, the median, the mode.
#pragma once
#include "ops/order/sort.hpp"

namespace chainrule {

ValuesAndIndices kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim);
// The lower one of the two in the middle. A NaN is the median of what it is in; nanmedian leaves NaN out.
Tensor median(const Tensor& x);
Tensor nanmedian(const Tensor& x);
ValuesAndIndices median(const Tensor& x, int64_t dim, bool keepdim);
ValuesAndIndices nanmedian(const Tensor& x, int64_t dim, bool keepdim);
ValuesAndIndices mode(const Tensor& x, int64_t dim, bool keepdim);

}  // namespace chainrule
