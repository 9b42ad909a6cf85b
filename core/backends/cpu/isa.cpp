// Finds the instruction set the kernels run on.
#include "backends/cpu/isa.hpp"

#include <cstdlib>
#include <string_view>

#include "backends/cpu/features.hpp"

namespace chainrule::cpu {
namespace {

Isa machine_isa() {
  const Features can = features();
  return can.v4 ? Isa::v4 : can.v3 ? Isa::v3 : Isa::v2;
}

Isa chosen_isa() {
  const Isa best = machine_isa();
  const char* variable = std::getenv("CHAINRULE_ISA");
  const std::string_view wish = variable ? variable : "";
  const Isa limit = wish == "v2" ? Isa::v2 : wish == "v3" ? Isa::v3 : Isa::v4;
  return limit < best ? limit : best;
}

}  // namespace

Isa isa() {
  static const Isa chosen = chosen_isa();
  return chosen;
}

}  // namespace chainrule::cpu
