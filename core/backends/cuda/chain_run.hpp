// A chain on the current GPU, for whatever is elementwise in other subjects too.
#pragma once
#include "backends/chain.hpp"

namespace chainrule::cuda { void run_chain(const Chain& chain); }  // namespace chainrule::cuda
