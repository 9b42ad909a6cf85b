// From a tensor's dtype to the element type that a random stream is made for.
#pragma once
#include "tensor/error.hpp"
#include "tensor/half.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

[[noreturn]] inline void refuse_dtype(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

// Calls f with a zero of the type; raises with the kernel's name, as PyTorch does, for all but floats.
template <class F>
void by_float_type(const char* kernel, DType t, F f) {
  switch (t) {
    case DType::Float16:
      return f(Half());
    case DType::BFloat16:
      return f(BFloat16());
    case DType::Float32:
      return f(float());
    case DType::Float64:
      return f(double());
    default:
      refuse_dtype(kernel, t);
  }
}

// The same for all numbers but complex ones.
template <class F>
void by_type(const char* kernel, DType t, F f) {
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
      return by_float_type(kernel, t, f);
  }
}

}  // namespace chainrule
