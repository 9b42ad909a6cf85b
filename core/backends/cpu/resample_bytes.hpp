// Images of bytes at other sizes, along one dimension.
#pragma once
#include "backends/resample.hpp"

namespace chainrule::cpu {

// With weights that are whole numbers: backends/cpu/resample_bytes.cpp.
void resample_bytes(const Resampling& r);

}  // namespace chainrule::cpu
