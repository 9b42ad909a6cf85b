// Which instruction set the kernels run on, chosen once at load from a plain baseline.
//
// A file named *.isa.cpp is compiled once per instruction set with CR_ISA defined as v2, v3 or v4 and puts all it
// defines inside `namespace chainrule::cpu::CR_ISA`; callers outside pick one with CR_DISPATCH(symbol).
#pragma once

namespace chainrule::cpu {

enum class Isa { v2, v3, v4 };  // x86-64 micro-architecture levels: baseline, AVX2 + FMA, AVX-512

// The best level this machine has and the build carries; CHAINRULE_ISA=v2|v3|v4 lowers it.
Isa isa();

}  // namespace chainrule::cpu

#if defined(__x86_64__)
#define CR_DECLARE_PER_ISA(declaration)         \
  namespace chainrule::cpu::v2 { declaration; } \
  namespace chainrule::cpu::v3 { declaration; } \
  namespace chainrule::cpu::v4 { declaration; }
#define CR_DISPATCH(symbol)                                                              \
  (::chainrule::cpu::isa() == ::chainrule::cpu::Isa::v4   ? ::chainrule::cpu::v4::symbol \
   : ::chainrule::cpu::isa() == ::chainrule::cpu::Isa::v3 ? ::chainrule::cpu::v3::symbol \
                                                          : ::chainrule::cpu::v2::symbol)
#else
#define CR_DECLARE_PER_ISA(declaration) \
  namespace chainrule::cpu::v2 { declaration; }
#define CR_DISPATCH(symbol) (::chainrule::cpu::v2::symbol)
#endif
