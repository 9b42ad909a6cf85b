// Reading and adding elements along one dimension; each is the other's gradient.
#include "ops/along.hpp"

#include "autograd/record.hpp"
#include "ops/accumulate.hpp"
#include "ops/copy.hpp"
#include "tensor/with_type.hpp"

namespace chainrule {
namespace {

OpInfo kTake{"gather", "GatherBackward0", "g added at the positions read from"};
OpInfo kAdd{"scatter_add", "ScatterAddBackward0", "g read at the positions added to"};

// Calls visit(position in the index, offset in the contiguous whole of shape `sizes`) for every index.
template <class Visit>
void each_position(const Tensor& index, int dim, Span sizes, Visit visit) {
  int n = index.ndim();
  Dims strides = contiguous_strides(sizes), at(n);
  const auto* where = index.data<int64_t>();
  int64_t base = 0;
  for (int64_t i = 0; i < index.numel(); ++i) {
    visit(i, n == 0 ? 0 : base + where[i] * strides[dim]);
    for (int d = n; d-- > 0;) {
      if (d != dim) base += strides[d];
      if (++at[d] < index.size(d)) break;
      if (d != dim) base -= strides[d] * index.size(d);
      at[d] = 0;
    }
  }
}

template <class T>
void take_elements(const Tensor& out, const Tensor& x, int dim, const Tensor& index) {
  each_position(index, dim, x.sizes(),
                [to = out.data<T>(), from = x.data<T>()](int64_t i, int64_t at) { to[i] = from[at]; });
}
template <class T>
void add_elements(const Tensor& out, const Tensor& g, int dim, const Tensor& index) {
  each_position(index, dim, out.sizes(), [to = out.data<T>(), from = g.data<T>()](int64_t i, int64_t at) {
    to[at] = static_cast<T>(to[at] + from[i]);
  });
}

Tensor plain(const Tensor& t) {
  GradModeScope off(false);
  return contiguous(t);
}

}  // namespace

Tensor take_along(const Tensor& x, int dim, const Tensor& index) {
  Tensor out = empty(index.sizes(), x.dtype()), from = plain(x), at = plain(index);
  with_type(x.dtype(), [&]<class T>(T*) { take_elements<T>(out, from, dim, at); });
  return record(kTake, out, {&x}, {&index},
                [dim, sizes = Dims(x.sizes())](Backward& b) { b.give(0, add_along(b.g(), dim, b.saved(0), sizes)); });
}

Tensor add_along(const Tensor& g, int dim, const Tensor& index, Span sizes) {
  Tensor out = zeros(sizes, g.dtype()), from = plain(g), at = plain(index);
  with_type(g.dtype(), [&]<class T>(T*) { add_elements<T>(out, from, dim, at); });
  return record(kAdd, out, {&g}, {&index}, [dim](Backward& b) { b.give(0, take_along(b.g(), dim, b.saved(0))); });
}

}  // namespace chainrule
