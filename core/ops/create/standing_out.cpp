#include "ops/create/standing_out.hpp"

#include <cmath>

#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {

void fill_standing_out(const Tensor& t) {
  if (!t.numel()) return;
  DType dtype = t.dtype();
  Scalar value = Scalar(NAN);
  if (is_bool(dtype))
    value = Scalar::of_int(1);
  else if (!is_differentiable(dtype))
    value = Scalar::of_unsigned(UINT64_MAX >> (64 - 8 * size_of(dtype) + is_signed(dtype)));
  copy_elements(t, scalar_tensor(value, dtype));
}

}  // namespace chainrule
