// DLPack: tensors passed to other libraries and taken from them without a copy.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// A capsule that owns a reference to the tensor; `versioned` for consumers that know DLPack 1.0. A new reference.
PyObject* to_dlpack(const Tensor& t, bool versioned);
// A tensor over what a capsule holds; the capsule is used up.
Tensor from_dlpack(PyObject* capsule);

}  // namespace chainrule
