// Copying elements between tensors: clone, contiguous, conversion, copy_.
#pragma once
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

Tensor contiguous(const Tensor& t);                 // itself when it already is
Tensor to_dtype(const Tensor& t, DType dtype);      // itself when it already has it
Tensor convert_copy(const Tensor& t, DType dtype);  // always a copy
Tensor& copy_(Tensor& self, const Tensor& source);  // broadcasts and converts
// x = f(x) in place: `self` becomes `result`, which was calculated from it, and takes over the history of f.
Tensor write_result(const Tensor& self, const Tensor& result);
// Raw copy with conversion, broadcast already done; not recorded, no version.
void copy_elements(const Tensor& to, const Tensor& from);

}  // namespace chainrule
