// Images of bytes at other sizes, along one dimension.
#pragma once
#include "backends/resample.hpp"

namespace chainrule::cpu {

// With weights that are whole numbers: Note [Weights of bytes].
void resample_bytes(const Resampling& r);

}  // namespace chainrule::cpu
