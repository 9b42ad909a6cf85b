// Finds the instruction set the kernels run on.
#include "backends/cpu/isa.hpp"

#include <cstdlib>
#include <string_view>

namespace chainrule::cpu {
namespace {

#if defined(__x86_64__)
Isa machine_isa() {
  __builtin_cpu_init();
  auto v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  auto v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? Isa::v4 : v3 ? Isa::v3 : Isa::v2;
}
#else
Isa machine_isa() { return Isa::v2; }  // the plain build, whatever the machine
#endif

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
