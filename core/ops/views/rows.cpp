// A tensor's elements as contiguous rows along one of its dimensions, and back.
#include "ops/views/rows.hpp"

#include "autograd/record.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {

Tensor with_dim_last(const Tensor& x, int dim) {
  GradModeScope off(false);
  return contiguous(x.ndim() > 1 ? transpose(x, dim, -1) : x);
}

PackedRows rows_of(const Tensor& x) {
  int64_t length = x.ndim() ? x.size(x.ndim() - 1) : 1;
  return {x.dtype(), x->data, length ? x.numel() / length : 0, length};
}

double make_steady(Tensor& from, const Tensor& x) {
  constexpr double kEach = 200;  // multiplications that an element's place in an order is worth
  const double work = work_on(x.numel(), kEach);
  if (!takes_long(work) || !from.same_storage(x)) return work;
  if (!has_other_threads()) return kKeepsLock;
  from = copy_strided(from, Dims(from.strides()));
  return work;
}

Tensor with_dim_back(const Tensor& result, int dim) {
  int last = result.ndim() - 1;
  if (dim >= last) return result;
  GradModeScope off(false);
  Tensor view = transpose(result, dim, last), out = empty(view.sizes(), result.dtype());
  copy_elements(out, view);
  return out;
}

Tensor with_dim_back(const Tensor& result, int dim, const Tensor& like) {
  if (like.is_contiguous()) return with_dim_back(result, dim);
  GradModeScope off(false);
  Tensor view = transpose(result, dim, -1), out = empty_strided(like.sizes(), dense_strides_like(like), result.dtype());
  copy_elements(out, view);
  return out;
}

}  // namespace chainrule
