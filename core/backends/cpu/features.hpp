// What this processor can do. (The compilers' own __builtin_cpu_supports needs a runtime library that zig lacks.)
#pragma once

namespace chainrule::cpu {

struct Features {
  bool v3 = false, v4 = false;  // the micro-architecture levels of isa.hpp
  bool bfloat16_dots = false;   // AVX512-BF16
  bool bfloat16_tiles = false;  // AMX, its registers given by the system when a process asks
};

// Of x86-64; other processors have none of these.
Features features();

}  // namespace chainrule::cpu
