// Reading at positions: gather, take_along_dim, index_select, take.
#include "ops/indexing/gather.hpp"

#include "autograd/record.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/indexing/along.hpp"
#include "ops/indexing/index_write.hpp"
#include "ops/indexing/slices.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kIndexSelect{"index_select", "IndexSelectBackward0", "zeros with g added at the slices that were read"};
OpInfo kTake{"take", "TakeBackward0", "zeros with g added at the elements that were read"};

// The shape with dimension `dim` as in `other`.
Dims sizes_except(Span sizes, int dim, Span other) {
  Dims result(sizes);
  result[dim] = other[static_cast<size_t>(dim)];
  return result;
}

}  // namespace

Tensor checked_along(const char* op, const char* name, const Tensor& whole, const Tensor& index) {
  if (index.numel() == 0) return to_dtype(index, DType::Int64);
  if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32) {
    raise(PyExc_RuntimeError, op, "(): Expected dtype int32/int64 for index, but got torch.",
          facts(index.dtype()).name);
  }
  if (std::max(index.ndim(), 1) != std::max(whole.ndim(), 1)) {
    raise(PyExc_RuntimeError, "Index tensor must have the same number of dimensions as ", name,
          " tensor, but got shapes ", index.sizes(), " and ", whole.sizes());
  }
  return to_dtype(index, DType::Int64);
}

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse) {
  int d = wrap_dim(dim, x.ndim());
  Tensor at = checked_along("gather", "input", x, index);
  for (int i = 0; i < std::min(x.ndim(), index.ndim()) && index.numel(); ++i) {
    if (i == d || index.size(i) <= x.size(i)) continue;
    raise(PyExc_RuntimeError, "Size does not match at dimension ", i, " expected index ", index.sizes(),
          " to be no larger than self ", x.sizes(), " apart from dimension ", d);
  }
  return take_along(x, d, at, sparse);
}

Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<int64_t> dim) {
  if (!dim) return gather(view(x, Dims{-1}), 0, view(indices, Dims{-1}));
  if (x.ndim() != indices.ndim()) {
    raise(PyExc_RuntimeError,
          "torch.take_along_dim(): input and indices should have the same number of dimensions, but got ", x.ndim(),
          " dimensions for input, and ", indices.ndim(), " dimensions for indices");
  }
  if (indices.dtype() != DType::Int64) {
    raise(PyExc_RuntimeError, "torch.take_along_dim(): dtype of indices should be Long but got ",
          facts(indices.dtype()).tensor_name);
  }
  int d = wrap_dim(*dim, x.ndim());
  if (x.ndim() == 0) raise(PyExc_IndexError, "Dimension specified as 0 but tensor has no dimensions");
  Tensor wrapped = elementwise(OpId::remainder, {indices, Scalar::of_int(std::max<int64_t>(x.size(d), 1))});
  Dims wide = broadcast_shapes(x.sizes(), sizes_except(indices.sizes(), d, x.sizes()), "take_along_dim");
  Tensor whole = expand(x, wide), at = expand(wrapped, sizes_except(wide, d, indices.sizes()));
  return gather(whole, d, at);
}

// PyTorch has a kernel of its own for the second dimension, with another error.
[[noreturn]] void raise_outside(const Tensor& x, int dim, int64_t bad) {
  if (x.ndim() > 1 && x.size(dim) == 0)
    raise(PyExc_RuntimeError, "index_select(): self indexing axis dim should be positive");
  if (dim == 1) raise(PyExc_RuntimeError, "INDICES element is out of DATA bounds, id=", bad, " axis_dim=", x.size(dim));
  raise(PyExc_IndexError, "index out of range in self: index ", bad, " is out of bounds for dimension ", dim,
        " with size ", x.ndim() ? x.size(dim) : 1);
}

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  int d = wrap_dim(dim, x.ndim());
  if (index.ndim() > 1)
    raise(PyExc_IndexError, "index_select(): Index is supposed to be a vector, not of shape ", index.sizes());
  if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32) {
    raise(PyExc_RuntimeError, "index_select(): Expected dtype int32 or int64 for index, but got torch.",
          facts(index.dtype()).name);
  }
  if (x.ndim() == 0 && index.numel() != 1) {
    raise(PyExc_RuntimeError, "index_select(): Index to scalar can have only 1 value, got ", index.numel(),
          " value(s)");
  }
  Dims sizes(x.sizes());
  if (x.ndim()) sizes[d] = index.numel();
  Tensor out = empty(sizes, x.dtype());
  LocatedSlices at;
  bool direct = is_vector(x, index) && index.ndim() == 1;
  if (Bad bad = direct ? read_vector(x, index, false, out) : locate_along(x, d, index, false, at)) {
    raise_outside(x, d, *bad);
  }
  if (!direct) read_slices(at, x, out);
  return record(kIndexSelect, out, {&x}, {&index}, [d, whole = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "index", Slot{0}, "self_sym_sizes", whole);
    b.give(0, index_add(zeros(whole, b.g().dtype()), d, b.saved(0), b.g(), Scalar::of_int(1), Place::Itself));
  });
}

Tensor take(const Tensor& x, const Tensor& index) {
  if (index.dtype() != DType::Int64) {
    raise(PyExc_RuntimeError, "take(): Expected a long tensor for index, but got ", facts(index.dtype()).tensor_name);
  }
  if (x.numel() == 0 && index.numel()) raise(PyExc_IndexError, "take(): tried to take from an empty tensor");
  Tensor out = empty(index.sizes(), x.dtype());
  check_element(read_elements(x, index, out), x);
  return record(kTake, out, {&x}, {&index}, [whole = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("index", Slot{0});
    b.give(0, put(zeros(whole, b.g().dtype()), b.saved(0), b.g(), true, Place::Itself));
  });
}

}  // namespace chainrule
