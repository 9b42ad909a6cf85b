// Copies with conversion between any two layouts and dtypes.
#pragma once
#include "backends/copy.hpp"

namespace chainrule::cpu { void copy_strided(const StridedCopy& copy); }  // namespace chainrule::cpu
