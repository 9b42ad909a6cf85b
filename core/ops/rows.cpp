// A tensor's elements as contiguous rows along one of its dimensions, and back.
#include "ops/rows.hpp"

#include "autograd/record.hpp"
#include "ops/copy.hpp"
#include "ops/view.hpp"

namespace chainrule {

Tensor with_dim_last(const Tensor& x, int dim) {
  GradModeScope off(false);
  return contiguous(x.ndim() > 1 ? transpose(x, dim, -1) : x);
}

cpu::PackedRows rows_of(const Tensor& x) {
  int64_t length = x.ndim() ? x.size(x.ndim() - 1) : 1;
  return {x.dtype(), x->data, length ? x.numel() / length : 0, length};
}

Tensor with_dim_back(const Tensor& result, int dim, const Tensor& like) {
  int last = like.ndim() - 1;
  if ((dim >= last && like.is_contiguous()) || like.ndim() == 0) return result;
  GradModeScope off(false);
  Tensor view = transpose(result, dim, last), out;
  bool same_shape = equal(view.sizes(), like.sizes());
  out = same_shape ? empty_strided(view.sizes(), dense_strides_like(like), view.dtype())
                   : empty(view.sizes(), view.dtype());
  copy_elements(out, view);
  return out;
}

}  // namespace chainrule
