// Looking rows up in a table.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// weight[indices]; rows at `padding` get no gradient (a negative one: none), and with `by_frequency` a row's gradient
// is divided by how often the row was looked up.
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding, bool by_frequency, bool sparse);
// Scales the rows that `indices` name down to a p-norm of at most `max_norm`, in place.
Tensor embedding_renorm_(const Tensor& weight, const Tensor& indices, double max_norm, double p);

}  // namespace chainrule
