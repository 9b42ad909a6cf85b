// The dtypes that random numbers are made in; others are refused with the kernel's name, as PyTorch does.
#pragma once
#include "tensor/dtype.hpp"
#include "tensor/error.hpp"

namespace chainrule {

[[noreturn]] inline void refuse_dtype(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}
inline void require_float(const char* kernel, DType t) {
  if (!is_floating(t)) refuse_dtype(kernel, t);
}
inline void require_number(const char* kernel, DType t) {
  if (is_complex(t) || is_limited(t) || is_stored_only(t)) refuse_dtype(kernel, t);
}

}  // namespace chainrule
