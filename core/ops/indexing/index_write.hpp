// Writing slices along a dimension, or single elements, at positions: index_add, index_copy, index_fill, put.
#pragma once
#include "ops/indexing/slices.hpp"
#include "ops/indexing/write.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
                 Place place);
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, Place place);
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, Place place);
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value, Place place);
// Elements counted in the order of indices; with `accumulate` repeated positions add up.
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate, Place place);

// Raises if an element that take or put name is not there.
void check_element(Bad bad, const Tensor& x);
// Raises unless `source` has x's shape with one slice along `dim` for each entry of the vector `index`.
void check_slices(const char* op, const Tensor& x, int dim, const Tensor& index, const Tensor& source);

}  // namespace chainrule
