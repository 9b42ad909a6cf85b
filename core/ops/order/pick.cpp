// What operations share that pick one of several elements: maxima, medians, modes.
#include "ops/order/pick.hpp"

#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/indexing/along.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {

void check_elements(const Tensor& x, const Dims& dims, const char* name) {
  if (x.numel() > 0) return;
  if (dims.empty()) {
    raise(PyExc_RuntimeError, name,
          "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
          "dim with the 'dim' argument.");
  }
  for (int64_t d : dims) {
    if (x.size(wrap_dim(d, x.ndim())) == 0) {
      raise(PyExc_IndexError, name, "(): Expected reduction dim ", d, " to have non-zero size.");
    }
  }
}

Tensor share_among(const Tensor& ties, const Tensor& g, const Dims& dims) {
  Tensor count = sum(ties, dims, true, {});
  Tensor none = elementwise(OpId::div, {zeros({}, g.dtype()), count});
  bool narrow = size_of(real_of(g.dtype())) < 4;  // such a dtype might not hold the count
  Tensor whole = narrow ? to_dtype(g, DType::Float32) : g;
  Tensor share = to_dtype(elementwise(OpId::div, {whole, count}), g.dtype());
  return elementwise(OpId::where, {ties, share, none});
}

Tensor share_with_equals(const Tensor& x, const Tensor& y, const Tensor& g) {
  double picked = item(y).real;
  Tensor ties = picked != picked ? elementwise(OpId::isnan, {x}) : elementwise(OpId::eq, {x, y});
  return share_among(ties, g, {});
}

Tensor return_to_indices(const Tensor& g, const Tensor& indices, Span sizes, int dim, bool keepdim) {
  if (keepdim || sizes.empty()) return add_along(g, dim, indices, sizes);
  return add_along(unsqueeze(g, dim), dim, unsqueeze(indices, dim), sizes);
}

}  // namespace chainrule
