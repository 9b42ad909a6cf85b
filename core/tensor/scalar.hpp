// A Python number on its way into an operation: kept as it is, never made into a tensor.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule {

struct Scalar {
  enum Kind : uint8_t { kBool, kInt, kFloat, kComplex };
  Kind kind = kFloat;
  int64_t integer = 0;  // for kBool and kInt; of an integer above int64's, the bits
  double real = 0;      // always set
  double imaginary = 0;

  Scalar() = default;
  Scalar(double v) : kind(kFloat), real(v) {}  // NOLINT: a number is a scalar
  static Scalar of_int(int64_t v, Kind kind = kInt) {
    Scalar s(static_cast<double>(v));
    s.kind = kind;
    s.integer = v;
    return s;
  }
  static Scalar of_unsigned(uint64_t v) {
    Scalar s = of_int(static_cast<int64_t>(v));
    s.real = static_cast<double>(v);
    return s;
  }
  // Whether it is an integer that uint64 holds and int64 does not.
  bool is_above_int64() const { return kind == kInt && integer < 0 && real > 0; }
  static Scalar of_complex(double re, double im) {
    Scalar s(re);
    s.kind = kComplex;
    s.imaginary = im;
    return s;
  }
};

DType default_dtype();
void set_default_dtype(DType t);
DType default_complex_dtype();  // raises where the default floating type has no complex one
inline DType dtype_of(const Scalar& s) {
  switch (s.kind) {
    case Scalar::kBool:
      return DType::Bool;
    case Scalar::kInt:
      return DType::Int64;
    case Scalar::kFloat:
      return default_dtype();
    default:
      return default_complex_dtype();
  }
}

// Whether `dtype` can hold the number: no imaginary part lost, no integer out of range, no finite number become
// infinite.
bool fits(const Scalar& s, DType dtype);
// Writes the number as one element of `dtype`.
void store(const Scalar& s, DType dtype, void* to);
Scalar load(DType dtype, const void* from);

}  // namespace chainrule
