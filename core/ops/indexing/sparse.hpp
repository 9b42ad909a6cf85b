// Products, sums and updates that read sparse matrices by their parts. No gradients: chainrule.sparse writes them.
#pragma once
#include <utility>

#include "tensor/tensor.hpp"

namespace chainrule {

// A matrix by its rows, of float32 or float64: where each row starts in `columns` and `values`. Raises where an index
// is out of range.
Tensor sparse_product(const Tensor& starts, const Tensor& columns, const Tensor& values, const Tensor& dense);
// The transpose of a matrix with `width` columns times a dense one.
Tensor sparse_transposed_product(const Tensor& starts, const Tensor& columns, const Tensor& values, const Tensor& dense,
                                 int64_t width);
// For each entry the product of left's row with right's row.
Tensor sparse_sampled_product(const Tensor& starts, const Tensor& columns, const Tensor& left, const Tensor& right);

// The order that sorts the keys, all from 0 to below `bound`, and where in it each new key begins.
std::pair<Tensor, Tensor> sparse_order(const Tensor& keys, int64_t bound);
// The sums of the rows of each run of that order.
Tensor sparse_run_sums(const Tensor& values, const Tensor& order, const Tensor& starts);

// table[rows[i]] += factor * values[i], in that order.
Tensor sparse_add_rows_(const Tensor& table, const Tensor& rows, const Tensor& values, double factor);

struct SparseAdamNumbers {
  double beta1, beta2, eps, step;
  bool maximize;
};
// A step of SparseAdam for rows that are named once each.
void sparse_adam(const Tensor& table, const Tensor& averages, const Tensor& squares, const Tensor& rows,
                 const Tensor& values, const SparseAdamNumbers& numbers);

}  // namespace chainrule
