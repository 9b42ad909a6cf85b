// A chain over rows that arrive block by block: a product on its way to memory.
#pragma once
#include "backends/chain.hpp"

namespace chainrule::cpu {

void run_on_blocks(const Chain& chain, const BlockSource& source);

}  // namespace chainrule::cpu
