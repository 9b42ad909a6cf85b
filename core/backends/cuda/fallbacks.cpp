// Subjects that have no kernels of their own on a GPU yet: see fallback.hpp. What stands here is the list of what is
// left.
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/numbers.hpp"
#include "backends/random.hpp"

namespace chainrule::cuda {

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

// Numbers are the host's.
const NumbersKernels numbers_kernels = cpu::numbers_kernels;

}  // namespace chainrule::cuda
