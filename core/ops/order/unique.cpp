// The different elements of a tensor, or its different slices along one dimension.
#include "ops/order/unique.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "backends/sort.hpp"
#include "backends/unique.hpp"
#include "ops/order/unsigned_order.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/rearrange.hpp"
#include "ops/views/rows.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kUnique{"unique", "Unique2Backward0", "none: PyTorch defines no derivative"};
OpInfo kUniqueDim{"unique", "UniqueDimBackward0", "none: PyTorch defines no derivative"};
OpInfo kConsecutive{"unique_consecutive", "UniqueConsecutiveBackward0", "none: PyTorch defines no derivative"};

void refuse_complex(const Tensor& x, const char* kernel) {
  if (is_complex(x.dtype()))
    raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(x.dtype()).tensor_name, "'");
}

Tensor plain(const Tensor& x) {
  GradModeScope off(false);
  return contiguous(x);
}

// Gives the values a history that says, when asked for a gradient, that there is none.
Unique recorded(OpInfo& op, const char* pytorch_name, const Tensor& x, Unique u) {
  u.values = record(op, u.values, {&x}, {}, [pytorch_name](Backward&) {
    raise(PyExc_NotImplementedError, "the derivative for '", pytorch_name, "' is not implemented.");
  });
  return u;
}

// Rows of contiguous elements: the slices of a tensor along a dimension, with that in front, or single elements.
struct GroupedRows {
  Tensor rows;
  int64_t count, length;
};

GroupedRows rows_along(const Tensor& x, int dim) {
  GradModeScope off(false);
  Tensor rows = contiguous(movedim(x, Dims{dim}, Dims{0}));
  int64_t count = rows.size(0);
  return {rows, count, count ? rows.numel() / count : 0};
}

// The groups of equal neighbours. `order`, which may be null, is that of the rows; if they lie in it already, it tells
// where they were. `sizes` are those of the inverse.
Unique group_rows(const GroupedRows& r, const Tensor& order, bool in_order, Span sizes, bool inverse) {
  Unique u;
  if (inverse) u.inverse = empty(sizes, DType::Int64);
  Tensor firsts = empty(Dims{r.count + 1}, DType::Int64);
  int64_t groups = 0;
  int64_t* at = order ? order.data<int64_t>() : nullptr;
  backend().unique->group({r.rows.dtype(), r.rows->data, r.count, r.length, at, in_order, firsts.data<int64_t>(),
                           inverse ? u.inverse.data<int64_t>() : nullptr, &groups});
  Dims shape(r.rows.sizes());
  shape[0] = groups;
  u.counts = empty(Dims{groups}, DType::Int64);
  u.values = empty(shape, r.rows.dtype());
  backend().unique->take({r.rows.dtype(), r.rows->data, r.length, in_order ? nullptr : at, firsts.data<int64_t>(),
                          groups, u.values->data, u.counts.data<int64_t>()});
  return u;
}

// Of elements in a contiguous tensor.
Unique group_elements(const Tensor& x, const Tensor& order, Span sizes, bool inverse) {
  GradModeScope off(false);
  return group_rows({reshape(x, Dims{x.numel()}), x.numel(), 1}, order, true, sizes, inverse);
}

Unique nothing_like(const Tensor& x) {
  return {empty(x.sizes(), x.dtype()), empty(Dims{0}, DType::Int64), empty(Dims{0}, DType::Int64)};
}

Unique group_slices(const Tensor& x, int dim, bool sorted, bool inverse) {
  int64_t zeros = std::count(x.sizes().begin(), x.sizes().end(), 0);
  if (x.size(dim) == 0) {
    check(zeros == 1, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    return nothing_like(x);
  }
  check(zeros == 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  GroupedRows r = rows_along(x, dim);
  Tensor order;
  if (sorted) {
    order = empty(Dims{r.count}, DType::Int64);
    backend().unique->sort({x.dtype(), r.rows->data, r.count, r.length, order.data<int64_t>()});
  }
  Unique u = group_rows(r, order, false, Dims{r.count}, inverse);
  GradModeScope off(false);
  u.values = alias(contiguous(movedim(u.values, Dims{0}, Dims{dim})));
  return u;
}

// The same question about signed numbers of the same order.
template <class Question>
Unique of_signed(const Tensor& x, Question question) {
  Unique u = question(as_signed(x));
  u.values = as_unsigned(u.values, x.dtype());
  return u;
}

int checked_dim(const Tensor& x, int64_t dim) {
  if (x.ndim() == 0) raise(PyExc_IndexError, "Dimension specified as ", dim, " but tensor has no dimensions");
  return wrap_dim(dim, x.ndim());
}

}  // namespace

Unique unique(const Tensor& x, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique(t, inverse); });
  refuse_complex(x, "unique");
  Tensor from = plain(x), values = empty(Dims{x.numel()}, x.dtype()), indices = empty(Dims{x.numel()}, DType::Int64);
  const double work = make_steady(from, x);
  backend().sort->rows.unlocked(work, {{x.dtype(), from->data, x.numel() ? 1 : 0, x.numel()},
                                       false,
                                       Ties::Kept,
                                       values->data,
                                       indices.data<int64_t>()});
  return recorded(kUnique, "_unique2", x, group_elements(values, indices, x.sizes(), inverse));
}

Unique unique_consecutive(const Tensor& x, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique_consecutive(t, inverse); });
  refuse_complex(x, "unique");
  return recorded(kConsecutive, "unique_consecutive", x, group_elements(plain(x), Tensor(), x.sizes(), inverse));
}

Unique unique_slices(const Tensor& x, int64_t dim, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique_slices(t, dim, inverse); });
  int d = checked_dim(x, dim);
  refuse_complex(x, "unique_dim");
  return recorded(kUniqueDim, "unique_dim", x, group_slices(x, d, true, inverse));
}

Unique unique_consecutive_slices(const Tensor& x, int64_t dim, bool inverse) {
  if (is_limited(x.dtype()))
    return of_signed(x, [&](const Tensor& t) { return unique_consecutive_slices(t, dim, inverse); });
  int d = checked_dim(x, dim);
  refuse_complex(x, "unique");
  return recorded(kConsecutive, "unique_consecutive", x, group_slices(x, d, false, inverse));
}

}  // namespace chainrule
