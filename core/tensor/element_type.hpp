// From a dtype known at run time to the C++ type of its elements.
#pragma once
#include <cstdint>

#include "tensor/complex.hpp"
#include "tensor/dtype.hpp"
#include "tensor/half.hpp"

namespace chainrule {

// Calls f with a null pointer to the type: with_element_type(x.dtype(), [&]<class T>(T*) { ... }). Raises for the
// limited ones; see Note [Limited dtypes].
template <class F>
auto with_element_type(DType t, F&& f) {
  switch (t) {
    case DType::Bool:
      return f(static_cast<bool*>(nullptr));
    case DType::UInt8:
      return f(static_cast<uint8_t*>(nullptr));
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
      refuse_limited("kernel", t);
    case DType::Int8:
      return f(static_cast<int8_t*>(nullptr));
    case DType::Int16:
      return f(static_cast<int16_t*>(nullptr));
    case DType::Int32:
      return f(static_cast<int32_t*>(nullptr));
    case DType::Int64:
      return f(static_cast<int64_t*>(nullptr));
    case DType::Float16:
      return f(static_cast<Half*>(nullptr));
    case DType::BFloat16:
      return f(static_cast<BFloat16*>(nullptr));
    case DType::Float32:
      return f(static_cast<float*>(nullptr));
    case DType::Float64:
      return f(static_cast<double*>(nullptr));
    case DType::Complex64:
      return f(static_cast<Complex<float>*>(nullptr));
    case DType::Complex128:
      return f(static_cast<Complex<double>*>(nullptr));
    default:
      refuse_limited("kernel", t);
  }
}

// As above for the dtypes that have an order; nothing happens for complex ones.
template <class F>
void with_real_type(DType t, F&& f) {
  with_element_type(t, [&]<class T>(T* type) {
    if constexpr (!requires(T x) { x.im; }) f(type);
  });
}

// As above where only the size matters: one type for all that are moved alike.
template <class F>
auto with_element_size(DType t, F&& f) {
  switch (size_of(t)) {
    case 1:
      return f(static_cast<uint8_t*>(nullptr));
    case 2:
      return f(static_cast<uint16_t*>(nullptr));
    case 4:
      return f(static_cast<uint32_t*>(nullptr));
    case 8:
      return f(static_cast<uint64_t*>(nullptr));
    default:
      return f(static_cast<Complex<double>*>(nullptr));
  }
}

// As above for the types that arithmetic runs in; anything else counts as int64.
template <class F>
auto with_arithmetic_type(DType t, F&& f) {
  switch (t) {
    case DType::Float32:
      return f(static_cast<float*>(nullptr));
    case DType::Float64:
      return f(static_cast<double*>(nullptr));
    case DType::Complex64:
      return f(static_cast<Complex<float>*>(nullptr));
    case DType::Complex128:
      return f(static_cast<Complex<double>*>(nullptr));
    default:
      if (is_stored_only(t)) refuse_limited("kernel", t);
      return f(static_cast<int64_t*>(nullptr));
  }
}

}  // namespace chainrule
