// Inputs as the kernels of networks take them: contiguous, in a dtype that arithmetic runs in.
#pragma once
#include "autograd/record.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {

// Half types are computed in float32 and rounded once at the end.
inline DType kernel_dtype(DType t) { return t == DType::Float64 ? t : DType::Float32; }
inline Tensor prepared(const Tensor& t) { return t ? contiguous(to_dtype(t, kernel_dtype(t.dtype()))) : Tensor(); }

inline void require_floating(const Tensor& t, const char* kernel) {
  if (is_floating(t.dtype())) return;
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t.dtype()).tensor_name, "'");
}

// A saved tensor that may not have been given.
inline Tensor saved_if(Backward& b, int i, bool given) { return given ? b.saved(i) : Tensor(); }

}  // namespace chainrule
