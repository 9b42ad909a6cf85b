// Subjects that have no kernels of their own on a GPU yet: see fallback.hpp. What stands here is the list of what is
// left.
#include "backends/convolution.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/fft.hpp"
#include "backends/glu.hpp"
#include "backends/grid.hpp"
#include "backends/numbers.hpp"
#include "backends/padding.hpp"
#include "backends/patches.hpp"
#include "backends/pool.hpp"
#include "backends/random.hpp"
#include "backends/recurrent.hpp"
#include "backends/resample.hpp"

namespace chainrule::cuda {

const ConvolutionKernels convolution_kernels{
    .value = {fallback<&ConvolutionKernels::value>},
    .input_gradient = {fallback<&ConvolutionKernels::input_gradient>},
    .weight_gradient = {fallback<&ConvolutionKernels::weight_gradient>},
};
const FftKernels fft_kernels{
    .run = {fallback<&FftKernels::run>},
};
const GluKernels glu_kernels{
    .value = {fallback<&GluKernels::value>},
    .gradient = {fallback<&GluKernels::gradient>},
};
const GridKernels grid_kernels{
    .sample = {fallback<&GridKernels::sample>},
    .sample_gradient = {fallback<&GridKernels::sample_gradient>},
    .corners = {fallback<&GridKernels::corners>},
    .affine_points = {fallback<&GridKernels::affine_points>},
};
const PaddingKernels padding_kernels{
    .repeat = {fallback<&PaddingKernels::repeat>},
    .repeat_gradient = {fallback<&PaddingKernels::repeat_gradient>},
};
const PatchesKernels patches_kernels{
    .take = {fallback<&PatchesKernels::take>},
    .add = {fallback<&PatchesKernels::add>},
};
const PoolKernels pool_kernels{
    .max = {fallback<&PoolKernels::max>},
    .average = {fallback<&PoolKernels::average>},
    .average_gradient = {fallback<&PoolKernels::average_gradient>},
    .fractional_max = {fallback<&PoolKernels::fractional_max>},
    .unpool = {fallback<&PoolKernels::unpool>},
};
const RandomKernels random_kernels{
    .uniform = {fallback<&RandomKernels::uniform>},
    .normal = {fallback<&RandomKernels::normal>},
    .log_normal = {fallback<&RandomKernels::log_normal>},
    .cauchy = {fallback<&RandomKernels::cauchy>},
    .exponential = {fallback<&RandomKernels::exponential>},
    .dropout = {fallback<&RandomKernels::dropout>},
    .geometric = {fallback<&RandomKernels::geometric>},
    .bernoulli = {fallback<&RandomKernels::bernoulli>},
    .integers = {fallback<&RandomKernels::integers>},
    .integers_between = {fallback<&RandomKernels::integers_between>},
    .integers_from = {fallback<&RandomKernels::integers_from>},
    .permutation = {fallback<&RandomKernels::permutation>},
    .bernoulli_each = {fallback<&RandomKernels::bernoulli_each>},
    .poisson = {fallback<&RandomKernels::poisson>},
    .binomial = {fallback<&RandomKernels::binomial>},
    .gamma = {fallback<&RandomKernels::gamma>},
    .dirichlet = {fallback<&RandomKernels::dirichlet>},
    .rrelu = {fallback<&RandomKernels::rrelu>},
    .check_weights = {fallback<&RandomKernels::check_weights>},
    .choose = {fallback<&RandomKernels::choose>},
    .sample_without_replacement = {fallback<&RandomKernels::sample_without_replacement>},
};
const RecurrentKernels recurrent_kernels{
    .lstm = {fallback<&RecurrentKernels::lstm>},
    .lstm_gradient = {fallback<&RecurrentKernels::lstm_gradient>},
    .gru = {fallback<&RecurrentKernels::gru>},
    .gru_gradient = {fallback<&RecurrentKernels::gru_gradient>},
    .lstm_layer = {fallback<&RecurrentKernels::lstm_layer>},
    .lstm_layer_gradient = {fallback<&RecurrentKernels::lstm_layer_gradient>},
};
const ResampleKernels resample_kernels{
    .along = {fallback<&ResampleKernels::along>},
    .along_transposed = {fallback<&ResampleKernels::along_transposed>},
};

// Numbers are the host's.
const NumbersKernels numbers_kernels = cpu::numbers_kernels;

}  // namespace chainrule::cuda
