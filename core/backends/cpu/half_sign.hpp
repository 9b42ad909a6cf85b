// Operations that change no more than the sign of halves, on their bits: nothing need become a float for that.
#pragma once
#include "backends/cpu/elementwise.hpp"

namespace chainrule::cpu {

inline constexpr uint16_t kHalfSign = 0x8000;

inline void half_negation(void* out, const void* const* in, int64_t n, const double*) {
  auto* a = static_cast<const uint16_t*>(in[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(out)[i] = a[i] ^ kHalfSign;
}
inline void half_size(void* out, const void* const* in, int64_t n, const double*) {
  auto* a = static_cast<const uint16_t*>(in[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(out)[i] = a[i] & static_cast<uint16_t>(~kHalfSign);
}

}  // namespace chainrule::cpu
