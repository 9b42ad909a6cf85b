// Operations between real and complex numbers that the table's one-compute-type lines cannot express.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

Tensor conj(const Tensor& t);  // calculated at once; the tensor itself when real. Python's conj() is conj_view
Tensor real(const Tensor& t);  // a view of the real parts; the tensor itself when real
Tensor imag(const Tensor& t);  // a view; raises for a real tensor
// From real and imaginary parts, and from absolute values and angles.
Tensor complex_of_parts(const Tensor& real, const Tensor& imaginary);
Tensor polar(const Tensor& abs, const Tensor& angle);
Tensor view_as_real(const Tensor& t);     // (..., 2), sharing memory
Tensor view_as_complex(const Tensor& t);  // from (..., 2), sharing memory
Tensor abs_complex(const Tensor& t);      // these three take complex tensors only
Tensor angle_complex(const Tensor& t);
Tensor sgn_complex(const Tensor& t);  // t / |t|, and 0 at 0

}  // namespace chainrule
