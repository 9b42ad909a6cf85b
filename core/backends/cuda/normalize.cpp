#include "backends/normalize.hpp"

#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/row_norm.hpp"

namespace chainrule::cuda {

const NormalizeKernels normalize_kernels{
    .rows = {norm_rows},
    .rows_gradient = {norm_rows_gradient},
    .moments = {fallback<&NormalizeKernels::moments>},
    .deviations = {fallback<&NormalizeKernels::deviations>},
    .move_running = {fallback<&NormalizeKernels::move_running>},
    .affine_numbers = {fallback<&NormalizeKernels::affine_numbers>},
    .affine = {fallback<&NormalizeKernels::affine>},
    .sums = {fallback<&NormalizeKernels::sums>},
    .combination_numbers = {fallback<&NormalizeKernels::combination_numbers>},
    .group_combination_numbers = {fallback<&NormalizeKernels::group_combination_numbers>},
    .combine = {fallback<&NormalizeKernels::combine>},
    .parameter_gradients = {fallback<&NormalizeKernels::parameter_gradients>},
    .affine_last = {fallback<&NormalizeKernels::affine_last>},
    .combine_last = {fallback<&NormalizeKernels::combine_last>},
};

}  // namespace chainrule::cuda
