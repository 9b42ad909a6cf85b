// nextafter of half types.
#pragma once
#include "backends/cpu/elementwise.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu {

// nextafter of a half, which has other neighbours than the float that it is calculated in.
template <class H>
void half_step(void* out, const void* const* in, int64_t n, const double*) {
  auto *from = static_cast<const float*>(in[0]), *towards = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) {
    H x(from[i]);
    if (from[i] != from[i] || towards[i] != towards[i] || from[i] == towards[i]) {
      x = H(from[i] == towards[i] ? towards[i] : from[i] + towards[i]);
    } else if (from[i] == 0) {
      x.bits = towards[i] < 0 ? 0x8001 : 1;
    } else {
      bool away = (from[i] < towards[i]) == (from[i] > 0);
      x.bits = static_cast<uint16_t>(away ? x.bits + 1 : x.bits - 1);
    }
    static_cast<float*>(out)[i] = x;
  }
}
inline ElementwiseKernel half_step_of(DType t) { return t == DType::Float16 ? half_step<Half> : half_step<BFloat16>; }

}  // namespace chainrule::cpu
