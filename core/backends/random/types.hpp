// From a dtype to the element type that a random stream is made for.
#pragma once
#include "tensor/dtype.hpp"
#include "tensor/half.hpp"

namespace chainrule::random {

// Calls f with a zero of the type, which must be one of the floats.
template <class F>
void by_float_type(DType t, F f) {
  switch (t) {
    case DType::Float16:
      return f(Half());
    case DType::BFloat16:
      return f(BFloat16());
    case DType::Float32:
      return f(float());
    default:
      return f(double());
  }
}

// The same for all numbers but complex and limited ones.
template <class F>
void by_type(DType t, F f) {
  switch (t) {
    case DType::Bool:
      return f(bool());
    case DType::UInt8:
      return f(uint8_t());
    case DType::Int8:
      return f(int8_t());
    case DType::Int16:
      return f(int16_t());
    case DType::Int32:
      return f(int32_t());
    case DType::Int64:
      return f(int64_t());
    default:
      return by_float_type(t, f);
  }
}

}  // namespace chainrule::random
