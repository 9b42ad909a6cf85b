// Largest and smallest values, alone or with their positions. NaN wins over every number.
#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/order/pick.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

using TensorPair = std::pair<Tensor, Tensor>;

OpInfo kAmax{"amax", "AmaxBackward0", "g shared evenly among the elements equal to y"};
OpInfo kAmin{"amin", "AminBackward0", "g shared evenly among the elements equal to y"};
OpInfo kMax{"max", "MaxBackward1", "g shared evenly among the elements equal to y"};
OpInfo kMin{"min", "MinBackward1", "g shared evenly among the elements equal to y"};
OpInfo kMaxDim{"max", "MaxBackward0", "zeros with g at the indices"};
OpInfo kMinDim{"min", "MinBackward0", "zeros with g at the indices"};
OpInfo kAminmax{"aminmax", "AminmaxBackward0", "each g shared evenly among the elements equal to its y"};

[[noreturn]] void raise_complex(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

Tensor extreme(ReduceOp f, OpInfo& op, const Tensor& x, const Dims& dims, bool keepdim) {
  uint64_t reduced = reduced_dims(dims, x.ndim());
  check_elements(x, dims, op.name);
  if (is_complex(x.dtype()) || is_stored_only(x.dtype()))
    raise_complex(f == ReduceOp::Max ? "max_values_cpu" : "min_values_cpu", x.dtype());
  Tensor y = run_reduction(f, x, reduced, keepdim, {x.dtype(), x.dtype()});
  return record_reduction(op, y, x, reduced, keepdim, {&x, &y}, [](Backward& b, const ReducedShape& s) {
    Tensor ties = elementwise(OpId::eq, {b.saved(0), s.restore(b.saved(1))});
    b.give(0, share_among(ties, s.restore(b.g()), s.dims()));
  });
}

Tensor extreme_of_all(ReduceOp f, OpInfo& op, const Tensor& x) {
  uint64_t reduced = reduced_dims({}, x.ndim());
  check_elements(x, {}, op.name);
  if (is_complex(x.dtype()) || is_stored_only(x.dtype()))
    raise_complex(f == ReduceOp::Max ? "max_all" : "min_all", x.dtype());
  Tensor y = run_reduction(f, x, reduced, false, {x.dtype(), x.dtype()});
  return record(op, y, {&x}, {&x, &y},
                [](Backward& b) { b.give(0, share_with_equals(b.saved(0), b.saved(1), b.g())); });
}

TensorPair extreme_with_index(ReduceOp f, OpInfo& op, const Tensor& x, int64_t dim, bool keepdim) {
  int d = wrap_dim(dim, x.ndim());
  uint64_t reduced = uint64_t{1} << d;
  check_elements(x, Dims{d}, op.name);
  if (holds_complex(x.dtype())) raise(PyExc_RuntimeError, op.name, "(): does not support complex input");
  Tensor indices;
  Tensor values = run_reduction(f, x, reduced, keepdim, {x.dtype(), x.dtype(), 1, &indices});
  values = record(op, values, {&x}, {&indices}, [d, keepdim, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "indices", Slot{0}, "keepdim", keepdim, "self_sym_sizes", sizes);
    b.give(0, return_to_indices(b.g(), b.saved(0), sizes, d, keepdim));
  });
  return {values, indices};
}

Tensor index_of_extreme(ReduceOp f, const char* name, const Tensor& x, MaybeDim dim, bool keepdim) {
  if (holds_complex(x.dtype()) || is_bool(x.dtype())) {
    raise(PyExc_RuntimeError, name, "(): does not support ", is_bool(x.dtype()) ? "bool" : "complex", " input");
  }
  Tensor indices;
  ReductionOptions options{x.dtype(), x.dtype(), 1, &indices};
  GradModeScope off(false);
  if (dim) {
    int d = wrap_dim(*dim, x.ndim());
    check_elements(x, Dims{d}, name);
    run_reduction(f, x, uint64_t{1} << d, keepdim, options);
    return indices;
  }
  if (x.numel() == 0) {
    raise(PyExc_IndexError, name, "(): Expected reduction dim to be specified for input.numel() == 0.");
  }
  run_reduction(f, reshape(x, Dims{-1}), 1, false, options);
  return keepdim ? view(indices, Dims(x.ndim(), 1)) : indices;
}

}  // namespace

Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) { return extreme(ReduceOp::Max, kAmax, x, dims, keepdim); }
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) { return extreme(ReduceOp::Min, kAmin, x, dims, keepdim); }
Tensor max_all(const Tensor& x) { return extreme_of_all(ReduceOp::Max, kMax, x); }
Tensor min_all(const Tensor& x) { return extreme_of_all(ReduceOp::Min, kMin, x); }

TensorPair max_dim(const Tensor& x, int64_t dim, bool keepdim) {
  return extreme_with_index(ReduceOp::ArgMax, kMaxDim, x, dim, keepdim);
}
TensorPair min_dim(const Tensor& x, int64_t dim, bool keepdim) {
  return extreme_with_index(ReduceOp::ArgMin, kMinDim, x, dim, keepdim);
}

Tensor argmax(const Tensor& x, MaybeDim dim, bool keepdim) {
  return index_of_extreme(ReduceOp::ArgMax, "argmax", x, dim, keepdim);
}
Tensor argmin(const Tensor& x, MaybeDim dim, bool keepdim) {
  return index_of_extreme(ReduceOp::ArgMin, "argmin", x, dim, keepdim);
}

TensorPair aminmax(const Tensor& x, MaybeDim dim, bool keepdim) {
  if (x.numel() == 0 && !dim) {
    raise(PyExc_RuntimeError,
          "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
  }
  Dims dims = dim ? Dims{*dim} : Dims();
  uint64_t reduced = reduced_dims(dims, x.ndim());
  if (dim && x.ndim() > 0 && x.size(wrap_dim(*dim, x.ndim())) == 0) {
    raise(PyExc_IndexError, "aminmax: Expected reduction dim ", wrap_dim(*dim, x.ndim()), " to have non-zero size.");
  }
  if (is_complex(x.dtype()) || is_stored_only(x.dtype())) raise_complex("aminmax_cpu", x.dtype());
  Tensor lowest = run_reduction(ReduceOp::Min, x, reduced, keepdim, {x.dtype(), x.dtype()});
  Tensor highest = run_reduction(ReduceOp::Max, x, reduced, keepdim, {x.dtype(), x.dtype()});
  return record_pair(kAminmax, lowest, highest, {&x}, {&x, &lowest, &highest},
                     [reduced, keepdim, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
                       ReducedShape s{reduced, sizes, keepdim};
                       if (kept)
                         return kept->add("dim", s.dims(), "keepdim", keepdim, "self", Slot{0}, "min", Slot{1}, "max",
                                          Slot{2});
                       Tensor total;
                       for (int i : {0, 1}) {
                         if (!b.has_g(i)) continue;
                         Tensor ties = elementwise(OpId::eq, {b.saved(0), s.restore(b.saved(1 + i))});
                         Tensor share = share_among(ties, s.restore(b.g(i)), s.dims());
                         total = total ? elementwise(OpId::add, {total, share}) : share;
                       }
                       b.give(0, total);
                     });
}

}  // namespace chainrule
