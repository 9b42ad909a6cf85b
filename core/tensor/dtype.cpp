// Type promotion and casting rules, each in one place.
#include "tensor/dtype.hpp"

#include <algorithm>
#include <limits>

namespace chainrule {
namespace {

// bool < integral < floating < complex: a result never falls to a lower category than its operands.
int category(DType t) { return is_complex(t) ? 3 : is_floating(t) ? 2 : is_integral(t) ? 1 : 0; }

DType promote_integral(DType a, DType b) {
  // uint8 with a signed type needs a signed type that is wider than uint8.
  if (a != b && std::min(a, b) == DType::UInt8) return std::max(std::max(a, b), DType::Int16);
  return std::max(a, b);
}

DType promote_complex(DType a, DType b) {
  DType real = promote(real_of(a), real_of(b));
  return real == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  int ca = category(a), cb = category(b);
  if (ca == 3 || cb == 3) {
    // A real operand that is not floating does not widen a complex one.
    if (ca < 2) return b;
    if (cb < 2) return a;
    return promote_complex(a, b);
  }
  if (ca != cb) return ca > cb ? a : b;
  if (ca == 1) return promote_integral(a, b);
  // Half and bfloat16 have no common half type.
  if (ca == 2 && std::max(a, b) == DType::BFloat16) return DType::Float32;
  return std::max(a, b);
}

bool can_cast(DType from, DType to) { return category(from) <= category(to); }

double largest(DType t) {
  switch (t) {
    case DType::Float16:
      return 65504;
    case DType::BFloat16:
      return 0x1.fep127;
    case DType::Float32:
    case DType::Complex64:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

}  // namespace chainrule
