// Elements along a dimension in order: all of them, or the first few.
#include "ops/order/sort.hpp"

#include "autograd/record.hpp"
#include "backends/select.hpp"
#include "ops/indexing/along.hpp"
#include "ops/order/unsigned_order.hpp"
#include "ops/views/rows.hpp"

namespace chainrule {
namespace {

OpInfo kSort{"sort", "SortBackward0", "zeros with g at the indices"};
OpInfo kSortStable{"sort", "SortBackward1", "zeros with g at the indices"};
OpInfo kTopk{"topk", "TopkBackward0", "zeros with g at the indices"};

void refuse_complex(const Tensor& x) {
  if (holds_complex(x.dtype())) raise(PyExc_RuntimeError, " Sort does not support complex dtypes on CPU");
  if (is_float8(x.dtype())) refuse_limited("sorting_kernel_method_name", x.dtype());
}

Ties ties_of(Stable s) { return s == Stable::Yes ? Ties::Kept : Ties::AsInPyTorch; }

ValuesAndIndices recorded(OpInfo& op, const Tensor& x, int dim, const Tensor& values, const Tensor& indices) {
  Tensor result = record(op, values, {&x}, {&indices}, [dim, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dim, "indices", Slot{0}, "self_sym_sizes", sizes);
    b.give(0, add_along(b.g(), dim, b.saved(0), sizes));
  });
  return {result, indices};
}

}  // namespace

ValuesAndIndices sort(const Tensor& x, int64_t dim, bool descending, Stable stable) {
  if (is_limited(x.dtype())) {
    auto [values, indices] = sort(as_signed(x), dim, descending, stable);
    return {as_unsigned(values, x.dtype()), indices};
  }
  int d = wrap_dim(dim, x.ndim());
  refuse_complex(x);
  Tensor from = with_dim_last(x, d), values = empty(from.sizes(), x.dtype()),
         indices = empty(from.sizes(), DType::Int64);
  const double work = make_steady(from, x);
  backend().sort->rows.unlocked(work,
                                {rows_of(from), descending, ties_of(stable), values->data, indices.data<int64_t>()});
  return recorded(stable == Stable::NotGiven ? kSort : kSortStable, x, d, with_dim_back(values, d, x),
                  with_dim_back(indices, d, x));
}

Tensor argsort(const Tensor& x, int64_t dim, bool descending, Stable stable) {
  if (is_limited(x.dtype())) return argsort(as_signed(x), dim, descending, stable);
  int d = wrap_dim(dim, x.ndim());
  refuse_complex(x);
  Tensor from = with_dim_last(x, d), indices = empty(from.sizes(), DType::Int64);
  const double work = make_steady(from, x);
  backend().sort->rows.unlocked(work, {rows_of(from), descending, ties_of(stable), nullptr, indices.data<int64_t>()});
  return with_dim_back(indices, d, x);
}

Tensor msort(const Tensor& x) { return sort(x, 0, false, Stable::NotGiven).first; }

ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t dim, bool largest, bool sorted) {
  if (is_float8(x.dtype())) refuse_limited("topk_cpu", x.dtype());
  int d = wrap_dim(dim, x.ndim());
  int64_t n = x.ndim() ? x.size(d) : 1;
  if (k < 0 || k > n)
    raise(PyExc_RuntimeError, "selected index k out of range: k is ", k, ", but dimension ", d, " has ", n,
          " elements");
  if (holds_complex(x.dtype()) || is_bool(x.dtype())) {
    raise(PyExc_RuntimeError, "topk does not support ", is_bool(x.dtype()) ? "bool" : "complex", " dtypes on CPU");
  }
  Tensor from = with_dim_last(x, d);
  Dims sizes(from.sizes());
  if (x.ndim()) sizes.back() = k;
  Tensor values = empty(sizes, x.dtype()), indices = empty(sizes, DType::Int64);
  const double work = make_steady(from, x);
  backend().select->topk.unlocked(
      work, {rows_of(from), x.ndim() ? k : 1, largest, sorted, values->data, indices.data<int64_t>()});
  return recorded(kTopk, x, d, with_dim_back(values, d), with_dim_back(indices, d));
}

}  // namespace chainrule
