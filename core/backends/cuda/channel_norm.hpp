// Normalisation of channels on a GPU.
#pragma once
#include "backends/normalize.hpp"

namespace chainrule::cuda {

void channel_moments(const ChannelMoments& m);
void channel_sums(const ChannelSums& s);
void channel_affine(const ChannelAffine& a);
void channel_combine(const ChannelCombination& m);
void channel_affine_last(const AffineLast& a);
void channel_combine_last(const CombinationLast& m);

void channel_deviations(const ChannelDeviations& d);
void channel_move_running(const RunningStatistics& r);
void channel_affine_numbers(const AffineNumbers& a);
void channel_combination_numbers(const CombinationNumbers& m);
void channel_group_combination_numbers(const CombinationNumbers& m);
void channel_parameter_gradients(const ParameterGradients& p);

}  // namespace chainrule::cuda
