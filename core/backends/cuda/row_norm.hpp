// Normalisation of rows on a GPU.
#pragma once
#include "backends/normalize.hpp"

namespace chainrule::cuda {

void norm_rows(const RowNorm& r);
void norm_rows_gradient(const RowNormGradient& r);

}  // namespace chainrule::cuda
