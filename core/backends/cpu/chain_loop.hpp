// A chain over elements that lie anyhow.
#pragma once
#include "backends/cpu/chain_program.hpp"
#include "backends/cpu/loop_plan.hpp"

namespace chainrule::cpu {

// The plan's operands are the outputs, then the inputs.
void run_loop(const Chain& chain, const Program& program, const LoopPlan& plan);

}  // namespace chainrule::cpu
