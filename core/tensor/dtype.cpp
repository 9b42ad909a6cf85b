// Type promotion and casting rules, each in one place.
#include "tensor/dtype.hpp"

#include <algorithm>
#include <limits>

#include "tensor/error.hpp"

namespace chainrule {
namespace {

// bool < integral < floating < complex: a result never falls to a lower category than its operands.
int category(DType t) { return holds_complex(t) ? 3 : holds_floating(t) ? 2 : is_integral(t) ? 1 : 0; }

DType promote_integral(DType a, DType b) {
  // uint8 with a signed type needs a signed type that is wider than uint8.
  if (a != b && std::min(a, b) == DType::UInt8) return std::max(std::max(a, b), DType::Int16);
  return std::max(a, b);
}

DType promote_limited(DType a, DType b) {
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  raise(PyExc_RuntimeError, "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote ",
        facts(a).tensor_name, " and ", facts(b).tensor_name, "; convert one of them first");
}

DType promote_complex(DType a, DType b) { return complex_of(promote(real_of(a), real_of(b))); }

}  // namespace

void refuse_limited(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'\n  ",
        facts(t).name, " is for storing numbers; convert them to another dtype to calculate with them.");
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) {
    raise(PyExc_RuntimeError, "Promotion for Float8 Types is not supported, attempted to promote ",
          facts(a).tensor_name, " and ", facts(b).tensor_name, "; convert one of them first");
  }
  if (is_limited(a) || is_limited(b)) return promote_limited(a, b);
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
    case DType::Complex32:
      return 65504;
    case DType::Float8E4M3FN:
      return 448;
    case DType::Float8E4M3FNUZ:
      return 240;
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
      return 57344;
    case DType::Float8E8M0FNU:
      return 0x1p127;
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
