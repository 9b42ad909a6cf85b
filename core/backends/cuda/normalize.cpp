#include "backends/normalize.hpp"

#include "backends/cuda/channel_norm.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/row_norm.hpp"

namespace chainrule::cuda {

const NormalizeKernels normalize_kernels{
    .rows = {norm_rows},
    .rows_gradient = {norm_rows_gradient},
    .moments = {channel_moments},
    .deviations = {channel_deviations},
    .move_running = {channel_move_running},
    .affine_numbers = {channel_affine_numbers},
    .affine = {channel_affine},
    .sums = {channel_sums},
    .combination_numbers = {channel_combination_numbers},
    .group_combination_numbers = {channel_group_combination_numbers},
    .combine = {channel_combine},
    .parameter_gradients = {channel_parameter_gradients},
    .affine_last = {channel_affine_last},
    .combine_last = {channel_combine_last},
};

}  // namespace chainrule::cuda
