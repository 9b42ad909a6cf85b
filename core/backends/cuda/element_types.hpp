// The types that elements have in the text of kernels.
#pragma once
#include "tensor/dtype.hpp"

namespace chainrule::cuda {

// As they lie in memory.
const char* storage_type(DType t);
// As they are calculated with: halves in float, truth values and integers in int64.
DType compute_dtype(DType t);
inline const char* compute_type(DType t) { return storage_type(compute_dtype(t)); }
// Something of that size, which is moved and not looked at.
const char* raw_type(size_t bytes);

}  // namespace chainrule::cuda
