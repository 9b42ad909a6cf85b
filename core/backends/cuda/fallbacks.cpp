// Subjects that have no kernels of their own on a GPU yet: see fallback.hpp. What stands here is the list of what is
// left.
#include "backends/count.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/mask.hpp"
#include "backends/numbers.hpp"
#include "backends/random.hpp"
#include "backends/range.hpp"
#include "backends/scan.hpp"
#include "backends/search.hpp"
#include "backends/select.hpp"
#include "backends/sort.hpp"
#include "backends/triangle.hpp"
#include "backends/unique.hpp"

namespace chainrule::cuda {

const CountKernels count_kernels{
    .extent = {fallback<&CountKernels::extent>},
    .bins = {fallback<&CountKernels::bins>},
    .histogram = {fallback<&CountKernels::histogram>},
};
const LapackKernels lapack_kernels{
    .is_open = {fallback<&LapackKernels::is_open>},
    .open = {fallback<&LapackKernels::open>},
    .run = {fallback<&LapackKernels::run>},
};
const MaskKernels mask_kernels{
    .count = {fallback<&MaskKernels::count>},
    .fill = {fallback<&MaskKernels::fill>},
    .read = {fallback<&MaskKernels::read>},
    .write = {fallback<&MaskKernels::write>},
    .offsets = {fallback<&MaskKernels::offsets>},
    .coordinates = {fallback<&MaskKernels::coordinates>},
};
const PositionsKernels positions_kernels{
    .read_elements = {fallback<&PositionsKernels::read_elements>},
    .combine_elements = {fallback<&PositionsKernels::combine_elements>},
    .read_slices = {fallback<&PositionsKernels::read_slices>},
    .combine_slices = {fallback<&PositionsKernels::combine_slices>},
    .add_offsets = {fallback<&PositionsKernels::add_offsets>},
    .spread_offsets = {fallback<&PositionsKernels::spread_offsets>},
    .check = {fallback<&PositionsKernels::check>},
    .total = {fallback<&PositionsKernels::total>},
    .repeat = {fallback<&PositionsKernels::repeat>},
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
const RangeKernels range_kernels{
    .arange = {fallback<&RangeKernels::arange>},
    .linspace = {fallback<&RangeKernels::linspace>},
};
const ScanKernels scan_kernels{
    .total = {fallback<&ScanKernels::total>},
    .recurrence = {fallback<&ScanKernels::recurrence>},
    .extreme = {fallback<&ScanKernels::extreme>},
};
const SearchKernels search_kernels{
    .rows = {fallback<&SearchKernels::rows>},
};
const SelectKernels select_kernels{
    .topk = {fallback<&SelectKernels::topk>},
    .kth = {fallback<&SelectKernels::kth>},
    .median = {fallback<&SelectKernels::median>},
    .mode = {fallback<&SelectKernels::mode>},
};
const SortKernels sort_kernels{
    .rows = {fallback<&SortKernels::rows>},
};
const TriangleKernels triangle_kernels{
    .copy = {fallback<&TriangleKernels::copy>},
    .indices = {fallback<&TriangleKernels::indices>},
};
const UniqueKernels unique_kernels{
    .sort = {fallback<&UniqueKernels::sort>},
    .group = {fallback<&UniqueKernels::group>},
    .take = {fallback<&UniqueKernels::take>},
};

// Numbers are the host's.
const NumbersKernels numbers_kernels = cpu::numbers_kernels;

}  // namespace chainrule::cuda
