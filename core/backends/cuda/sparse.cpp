#include "backends/sparse.hpp"

#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {

const SparseKernels sparse_kernels{
    .product = {fallback<&SparseKernels::product>},
    .transposed_product = {fallback<&SparseKernels::transposed_product>},
    .sample = {fallback<&SparseKernels::sample>},
    .order = {fallback<&SparseKernels::order>},
    .run_sums = {fallback<&SparseKernels::run_sums>},
    .add_rows = {fallback<&SparseKernels::add_rows>},
    .adam = {fallback<&SparseKernels::adam>},
};

}  // namespace chainrule::cuda
