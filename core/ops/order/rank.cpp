// One element by its rank or its frequency: the k-th, the median, the mode.
#include "ops/order/rank.hpp"

#include <cmath>

#include "autograd/record.hpp"
#include "backends/select.hpp"
#include "ops/create/create.hpp"
#include "ops/order/pick.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/rows.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

OpInfo kKthvalue{"kthvalue", "KthvalueBackward0", "zeros with g at the indices"};
OpInfo kMedian{"median", "MedianBackward0", "g shared evenly among the elements equal to y"};
OpInfo kNanmedian{"nanmedian", "NanmedianBackward0", "g shared evenly among the elements equal to y"};
OpInfo kMedianDim{"median", "MedianBackward1", "zeros with g at the indices"};
OpInfo kNanmedianDim{"nanmedian", "NanmedianBackward1", "zeros with g at the indices"};
OpInfo kMode{"mode", "ModeBackward0", "zeros with g at the indices"};

void refuse(const char* kernel, const Tensor& x, bool bools) {
  if (is_complex(x.dtype()) || is_stored_only(x.dtype()) || (bools && is_bool(x.dtype())))
    raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(x.dtype()).tensor_name, "'");
}

// NaN, and what becomes of it in a dtype that has none.
Tensor median_of_nothing(OpInfo& op, const Tensor& x) {
  Tensor y = convert_copy(scalar_tensor(Scalar(NAN), DType::Float32), x.dtype());
  if (!is_differentiable(x.dtype())) return y;
  return record(op, y, {&x}, {&x}, [](Backward& b) { b.give(0, zeros(b.saved(0).sizes(), b.g().dtype())); });
}

Tensor median_of_all(OpInfo& op, const Tensor& x, bool ignore_nan) {
  if (x.numel() == 0) return median_of_nothing(op, x);
  refuse("median_cpu", x, true);
  Tensor from, y = empty({}, x.dtype()), index = empty({}, DType::Int64);
  {
    GradModeScope off(false);
    from = contiguous(x);
  }
  const double work = make_steady(from, x);
  backend().select->median.unlocked(work, {{x.dtype(), from->data, 1, x.numel()}, y->data, index.data<int64_t>()},
                                    ignore_nan);
  return record(op, y, {&x}, {&x, &y},
                [](Backward& b) { b.give(0, share_with_equals(b.saved(0), b.saved(1), b.g())); });
}

// Picks one element along `dim` with pick(work, elements). The one element of a 0-d tensor is picked whatever
// its dtype, as PyTorch does.
template <class Pick>
ValuesAndIndices pick_along(OpInfo& op, const Tensor& x, int dim, bool keepdim, Pick pick) {
  Dims sizes = reduced_sizes(x.sizes(), x.ndim() ? uint64_t{1} << dim : 0, keepdim);
  // With the dimension last and then gone, the others are in order but for the one it changed places with.
  Tensor from = with_dim_last(x, dim);
  Dims picked(from.sizes());
  if (x.ndim()) picked.back() = 1;
  Tensor values = empty(picked, x.dtype()), indices = empty(picked, DType::Int64);
  if (x.ndim() == 0) {
    copy_elements(values, from), set_item(indices, Scalar::of_int(0));
  } else {
    const double work = make_steady(from, x);
    pick(work, {rows_of(from), values->data, indices.data<int64_t>()});
  }
  auto shaped = [&](const Tensor& t) {
    GradModeScope off(false);
    return alias(reshape(with_dim_back(t, dim), sizes));
  };
  values = shaped(values), indices = shaped(indices);
  Tensor result =
      record(op, values, {&x}, {&indices}, [dim, keepdim, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
        if (kept) return kept->add("dim", dim, "indices", Slot{0}, "keepdim", keepdim, "self_sym_sizes", sizes);
        b.give(0, return_to_indices(b.g(), b.saved(0), sizes, dim, keepdim));
      });
  return {result, indices};
}

ValuesAndIndices median_along(OpInfo& op, const Tensor& x, int64_t dim, bool keepdim, bool ignore_nan) {
  int d = wrap_dim(dim, x.ndim());
  check_elements(x, Dims{d}, "median");
  refuse("median_out", x, true);
  return pick_along(op, x, d, keepdim, [=](double work, const PickedElements& e) {
    backend().select->median.unlocked(work, e, ignore_nan);
  });
}

}  // namespace

ValuesAndIndices kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  int d = wrap_dim(dim, x.ndim());
  check_elements(x, Dims{d}, "kthvalue");
  int64_t n = x.ndim() ? x.size(d) : 1;
  if (k < 1 || k > n)
    raise(PyExc_RuntimeError, "kthvalue(): selected number k out of range for dimension ", d, ": k is ", k,
          ", and the dimension has ", n, " elements");
  if (x.ndim()) refuse("kthvalue_cpu", x, true);
  return pick_along(kKthvalue, x, d, keepdim,
                    [k](double work, const PickedElements& e) { backend().select->kth.unlocked(work, e, k - 1); });
}

Tensor median(const Tensor& x) { return median_of_all(kMedian, x, false); }
Tensor nanmedian(const Tensor& x) { return median_of_all(kNanmedian, x, true); }
ValuesAndIndices median(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along(kMedianDim, x, dim, keepdim, false);
}
ValuesAndIndices nanmedian(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along(kNanmedianDim, x, dim, keepdim, true);
}

ValuesAndIndices mode(const Tensor& x, int64_t dim, bool keepdim) {
  int d = wrap_dim(dim, x.ndim());
  check_elements(x, Dims{d}, "mode");
  if (x.ndim() && x.numel()) refuse("mode_cpu", x, false);
  return pick_along(kMode, x, d, keepdim,
                    [](double work, const PickedElements& e) { backend().select->mode.unlocked(work, e); });
}

}  // namespace chainrule
