// Images of bytes at other sizes, along one dimension.
#pragma once
#include "ops/resample_taps.hpp"

namespace chainrule {

// (outer, in, inner) to (outer, out, inner), with weights that are whole numbers: Note [Weights of bytes].
void resample_bytes(const Taps& taps, const uint8_t* x, uint8_t* y, int64_t outer, int64_t inner);

}  // namespace chainrule
