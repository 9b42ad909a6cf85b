// Reading elements along one dimension, and writing them there; reading and adding are each other's gradients.
#include "ops/indexing/along.hpp"

#include "autograd/record.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/indexing/nonzero.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/join.hpp"
#include "ops/views/view.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

OpInfo kTakeAlong{"gather", "GatherBackward0", "g added at the positions read from"};
OpInfo kAddAlong{"scatter_add", "ScatterAddBackward0", "g read at the positions added to"};

// Shapes as the kernels take them: a tensor without dimensions has one of size 1.
struct Layout {
  Dims sizes, strides;
  explicit Layout(const Tensor& t) : sizes(t.sizes()), strides(t.strides()) {
    if (t.ndim()) return;
    sizes.push_back(1);
    strides.push_back(1);
  }
};

// Calls run(positions) for the elements of `beside`, of the index's shape or larger.
template <class F>
void with_positions(const Tensor& whole, int dim, const Tensor& index, const Tensor& beside, F run) {
  if (index.numel() == 0) return;
  Layout all(whole), at(index), other(beside);
  int64_t step = all.strides[dim], size = all.sizes[dim];
  all.strides[dim] = 0;
  if (beside.numel() == 1) other.strides = Dims(at.sizes.size());
  Bad bad;
  run(IndexedElements{at.sizes, index.data<int64_t>(), at.strides, all.strides, step, size, other.strides, false,
                      whole.dtype(), whole->data, beside->data, &bad});
  if (bad) raise(PyExc_RuntimeError, "index ", *bad, " is out of bounds for dimension ", dim, " with size ", size);
}

}  // namespace

namespace {

// What add_along gives, as a sparse tensor: an entry for each element of the index.
Tensor sparse_gradient(const Tensor& g, int dim, const Tensor& index, Span sizes) {
  if (sizes.empty()) return sparse_coo(zeros(Dims{0, g.numel()}, DType::Int64), reshape(g, Dims{g.numel()}), sizes);
  std::vector<Tensor> places = nonzero_by_dimension(ones(index.sizes(), DType::Bool));
  places[static_cast<size_t>(dim)] = flatten(index, 0, -1);
  return sparse_coo(stack(places, 0), flatten(g, 0, -1), sizes);
}

}  // namespace

Tensor take_along(const Tensor& x, int dim, const Tensor& index, bool sparse) {
  Tensor out = empty(index.sizes(), x.dtype());
  with_positions(x, dim, index, out, [](const auto& at) { backend().positions->read_elements(at); });
  return record(kTakeAlong, out, {&x}, {&index}, [dim, sparse, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dim, "index", Slot{0}, "sparse_grad", sparse);
    b.give(0, sparse ? sparse_gradient(b.g(), dim, b.saved(0), sizes) : add_along(b.g(), dim, b.saved(0), sizes));
  });
}

Tensor add_along(const Tensor& g, int dim, const Tensor& index, Span sizes) {
  Tensor out = zeros(sizes, g.dtype());
  combine_along(Combine::Add, out, dim, index, g);
  return record(kAddAlong, out, {&g}, {&index}, [dim](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dim, "index", Slot{0});
    b.give(0, take_along(b.g(), dim, b.saved(0)));
  });
}

void combine_along(Combine combine, const Tensor& out, int dim, const Tensor& index, const Tensor& src) {
  with_positions(out, dim, index, src,
                 [combine](const auto& at) { backend().positions->combine_elements(combine, at); });
}

}  // namespace chainrule
