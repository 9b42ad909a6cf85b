// What chainrule.sparse needs of the core, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/indexing/sparse.hpp"

namespace chainrule {

void bind_sparse() {
  define("_csr_product(Tensor starts, Tensor columns, Tensor values, Tensor dense)", kFunction, sparse_product);
  define("_csr_transposed_product(Tensor starts, Tensor columns, Tensor values, Tensor dense, int width)", kFunction,
         sparse_transposed_product);
  define("_csr_sampled_product(Tensor starts, Tensor columns, Tensor left, Tensor right)", kFunction,
         sparse_sampled_product);
  define("_sparse_order(Tensor keys, int bound) -> (order, starts)", kFunction, sparse_order);
  define("_sparse_run_sums(Tensor values, Tensor order, Tensor starts)", kFunction, sparse_run_sums);
  define("_sparse_add_rows_(Tensor input, Tensor rows, Tensor values, float factor)", kFunction, sparse_add_rows_);
  define(
      "_sparse_adam_(Tensor input, Tensor exp_avg, Tensor exp_avg_sq, Tensor rows, Tensor values, *, float beta1, "
      "float beta2, float eps, float step, bool maximize) -> None",
      kFunction,
      [](const Tensor& table, const Tensor& averages, const Tensor& squares, const Tensor& rows, const Tensor& values,
         double beta1, double beta2, double eps, double step,
         bool maximize) { sparse_adam(table, averages, squares, rows, values, {beta1, beta2, eps, step, maximize}); });
}

}  // namespace chainrule
