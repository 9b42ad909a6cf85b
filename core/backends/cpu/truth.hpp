// Operations on truth values alone, byte by byte: eight times as many fit into a vector as of the int64 that other
// integers are calculated in.
#pragma once
#include "backends/cpu/elementwise.hpp"

namespace chainrule::cpu {

// A byte that is not zero is true, whichever it is.
template <bool (*f)(bool, bool)>
void truth_kernel(void* out, const void* const* in, int64_t n, const double*) {
  auto *a = static_cast<const uint8_t*>(in[0]), *b = static_cast<const uint8_t*>(in[1]);
  auto* to = static_cast<uint8_t*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = f(a[i] != 0, b[i] != 0);
}
inline void truth_negation(void* out, const void* const* in, int64_t n, const double*) {
  auto* a = static_cast<const uint8_t*>(in[0]);
  auto* to = static_cast<uint8_t*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = a[i] == 0;
}

inline bool both(bool a, bool b) { return a & b; }
inline bool either(bool a, bool b) { return a | b; }
inline bool differ(bool a, bool b) { return a ^ b; }
inline bool agree(bool a, bool b) { return !(a ^ b); }
inline bool less(bool a, bool b) { return !a & b; }
inline bool at_most(bool a, bool b) { return !a | b; }
inline bool greater(bool a, bool b) { return a & !b; }
inline bool at_least(bool a, bool b) { return a | !b; }

}  // namespace chainrule::cpu
