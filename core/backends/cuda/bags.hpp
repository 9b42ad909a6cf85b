// Bags of rows on the GPU.
#pragma once
#include "backends/embedding.hpp"

namespace chainrule::cuda {

void shrink_rows(const LookupShrink& s);
void bag_sums(const BagSums& s);
void bag_shares(const BagShares& s);
void bag_numbers(const BagNumbers& n);

}  // namespace chainrule::cuda
