// Loops of the gated linear unit.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

template <class T>
struct GluLoops {
  void (*forward)(const T* a, const T* b, T* y, int64_t n);  // y = a * sigmoid(b)
  void (*backward)(const T* g, const T* a, const T* b, T* to_a, T* to_b, int64_t n);
};

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const GluLoops<float> glu_float)
CR_DECLARE_PER_ISA(extern const GluLoops<double> glu_double)
