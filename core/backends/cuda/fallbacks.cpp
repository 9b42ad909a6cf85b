// Subjects that have no kernels of their own on a GPU yet: see fallback.hpp. What stands here is the list of what is
// left.
#include "backends/convolution.hpp"
#include "backends/count.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/fft.hpp"
#include "backends/glu.hpp"
#include "backends/grid.hpp"
#include "backends/mask.hpp"
#include "backends/numbers.hpp"
#include "backends/padding.hpp"
#include "backends/patches.hpp"
#include "backends/pool.hpp"
#include "backends/range.hpp"
#include "backends/recurrent.hpp"
#include "backends/resample.hpp"
#include "backends/scan.hpp"
#include "backends/search.hpp"
#include "backends/select.hpp"
#include "backends/sort.hpp"
#include "backends/triangle.hpp"
#include "backends/unique.hpp"

namespace chainrule::cuda {

const ConvolutionKernels convolution_kernels{
    .value = {fallback<&ConvolutionKernels::value>},
    .input_gradient = {fallback<&ConvolutionKernels::input_gradient>},
    .weight_gradient = {fallback<&ConvolutionKernels::weight_gradient>},
};
const CountKernels count_kernels{
    .extent = {fallback<&CountKernels::extent>},
    .bins = {fallback<&CountKernels::bins>},
    .histogram = {fallback<&CountKernels::histogram>},
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
const RangeKernels range_kernels{
    .arange = {fallback<&RangeKernels::arange>},
    .linspace = {fallback<&RangeKernels::linspace>},
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
