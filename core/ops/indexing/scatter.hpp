// Writing elements along a dimension at positions that an index of the same rank gives.
#pragma once
#include "ops/indexing/write.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, Place place);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, Place place);
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, Place place);
// `reduce` is "add" or "multiply"; no gradient, as in PyTorch.
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce,
               Place place);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, const std::string& reduce,
               Place place);

// `reduce` is "sum", "prod", "mean", "amax" or "amin"; without `include_self` the former value does not take part.
Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce,
                      bool include_self, Place place);
// The same for whole slices, as index_add adds them; `reduce` may not be "sum".
Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, const std::string& reduce,
                    bool include_self, Place place);

// Raises unless the index (and src, if there is one) is right for writing into `x`; gives it as int64.
Tensor checked_scatter(const char* op, const Tensor& x, int dim, const Tensor& index, const Tensor& src);

}  // namespace chainrule
