// Looking rows up in a table.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// weight[indices]; rows at `padding` get no gradient (a negative one: none), and with `by_frequency` a row's gradient
// is divided by how often the row was looked up.
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding, bool by_frequency, bool sparse);
// The sum or the mean of bags of rows: `indices` is one-dimensional, a bag begins at each of `starts` and ends where
// the next one does. `factors`, one for each index, may be null; indices that are `padding` do not count.
Tensor embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& starts, const Tensor& factors,
                     int64_t padding, bool by_frequency, bool mean, bool sparse);
// Scales the rows that `indices` name down to a p-norm of at most `max_norm`, in place.
Tensor embedding_renorm_(const Tensor& weight, const Tensor& indices, double max_norm, double p);

}  // namespace chainrule
