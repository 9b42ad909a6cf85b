// Random numbers in PyTorch's streams of a GPU.
#include "backends/cuda/random.hpp"

#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {

const RandomKernels random_kernels{
    .uniform = {fill_uniform},
    .normal = {fill_normal},
    .log_normal = {fill_log_normal},
    .cauchy = {fill_cauchy},
    .exponential = {fill_exponential},
    .dropout = {fill_dropout_noise},
    .geometric = {fill_geometric},
    .bernoulli = {fill_bernoulli},
    .integers = {fill_integers},
    .integers_between = {fill_integers_between},
    .integers_from = {fill_integers_from},
    .permutation = {fill_permutation},
    .bernoulli_each = {toss_each},
    .poisson = {sample_poisson},
    .binomial = {sample_binomial},
    .gamma = {sample_gamma},
    .dirichlet = {sample_dirichlet},
    .rrelu = {random_slopes},
    .fused_dropout = {drop},
    .check_weights = {check_weights},
    .choose = {choose},
    .sample_without_replacement = {sample_without_replacement},
};

}  // namespace chainrule::cuda
