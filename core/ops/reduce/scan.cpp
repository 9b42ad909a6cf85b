// Running sums, products and extremes along one dimension.
//
// No gradient here divides by an element, so zeros need no special case: what a product passes back is a linear
// recurrence, and the gradient of a recurrence is the recurrence in the other direction.
#include "ops/reduce/scan.hpp"

#include <cmath>

#include "autograd/record.hpp"
#include "backends/scan.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/indexing/along.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kCumsum{"cumsum", "CumsumBackward0", "g summed from the other end"};
OpInfo kCumprod{"cumprod", "CumprodBackward0",
                "product of the elements before x * (s[i] = g[i] + x[i + 1] * s[i + 1])"};
OpInfo kCummax{"cummax", "CummaxBackward0", "g added at the indices"};
OpInfo kCummin{"cummin", "CumminBackward0", "g added at the indices"};
OpInfo kLogcumsumexp{"logcumsumexp", "LogcumsumexpBackward0",
                     "exp(x - y) * (s[i] = g[i] + exp(y[i] - y[i + 1]) * s[i + 1])"};
OpInfo kRecurrence{"recurrence", "RecurrenceBackward0",
                   "b: s, the recurrence of g from the other end, a: s * y[i - 1]"};
OpInfo kShift{"shift", "ShiftBackward0", "g shifted back"};

Tensor mul(const Tensor& a, const Tensor& b) { return elementwise(OpId::mul, {a, b}); }

ScanShape scan_shape(Span sizes, int dim, Direction direction) {
  ScanShape s{1, 1, 1, direction == Direction::Reverse};
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    (i < dim ? s.outer : i == dim ? s.n : s.inner) *= sizes[static_cast<size_t>(i)];
  }
  return s;
}

// The elements as the kernels take them, without history.
Tensor plain(const Tensor& t, DType dtype) {
  GradModeScope off(false);
  return contiguous(to_dtype(t, dtype));
}

Tensor run_scan(Scan kind, const Tensor& x, int dim, Direction direction, DType dtype) {
  DType type = scan_dtype(dtype);
  Tensor from = plain(x, dtype == type ? type : dtype);
  if (dtype != type) from = plain(from, type);
  Tensor out = empty(x.sizes(), type);
  if (x.numel() > 0)
    backend().scan->total.unlocked(work_on(x.numel()),
                                   {kind, type, from->data, out->data, scan_shape(x.sizes(), dim, direction)});
  GradModeScope off(false);
  return to_dtype(out, dtype);
}

DType total_dtype(const char* name, const Tensor& x, MaybeDType dtype) {
  if (dtype == DType::Bool && x.ndim() > 0 && x.numel() > 0)
    raise(PyExc_NotImplementedError, "\"", name, "_out_cpu\" not implemented for 'Bool'");
  if (dtype) check_autograd_dtype(x, *dtype);
  return dtype ? *dtype : is_differentiable(x.dtype()) ? x.dtype() : DType::Int64;
}

Tensor summed(const Tensor& x, int dim, Direction direction, DType dtype) {
  Tensor y = run_scan(Scan::Sum, x, dim, direction, dtype);
  if (!is_differentiable(dtype)) return y;
  return record(kCumsum, y, {&x}, {}, [dim, direction](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dim);
    b.give(0, running_sum(b.g(), dim, opposite(direction)));
  });
}

Tensor multiplied(const Tensor& x, int dim, Direction direction, DType dtype) {
  Tensor y = run_scan(Scan::Prod, x, dim, direction, dtype);
  if (!is_differentiable(dtype)) return y;
  return record(kCumprod, y, {&x}, {&x, &y}, [dim, direction](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dim);
    Tensor y = b.saved(1), x = conj(to_dtype(b.saved(0), y.dtype()));
    Tensor next = shift(x, dim, opposite(direction), 0);
    b.give(0, mul(conj(shift(y, dim, direction, 1)), recurrence(next, b.g(), dim, opposite(direction))));
  });
}

using Extremes = std::pair<Tensor, Tensor>;

Extremes running_extreme(OpInfo& op, bool is_max, const Tensor& x, int64_t dim) {
  if (holds_complex(x.dtype()) || is_limited(x.dtype()) || is_float8(x.dtype())) {
    raise(PyExc_NotImplementedError, "\"", op.name, "_cpu\" not implemented for '", facts(x.dtype()).tensor_name, "'");
  }
  if (x.ndim() == 0 && dim != 0 && dim != -1)
    raise(PyExc_IndexError, op.name, "(): Expected reduction dim -1 or 0 for scalar but got ", dim);
  int d = wrap_dim(dim, x.ndim());
  DType type = scan_dtype(x.dtype());
  Tensor from = plain(x, type), values = empty(x.sizes(), type), indices = empty(x.sizes(), DType::Int64);
  if (x.numel() > 0) {
    backend().scan->extreme.unlocked(work_on(x.numel()),
                                     {is_max, type, from->data, values->data, indices.data<int64_t>(),
                                      scan_shape(x.sizes(), d, Direction::Forward)});
  }
  values = plain(values, x.dtype());
  values = record(op, values, {&x}, {&indices}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "indices", Slot{0});
    b.give(0, add_along(b.g(), d, b.saved(0), b.g().sizes()));
  });
  return {values, indices};
}

}  // namespace

Tensor shift(const Tensor& x, int dim, Direction direction, double fill) {
  Tensor y = full(x.sizes(), fill, x.dtype());
  int64_t n = x.ndim() ? x.size(dim) : 1;
  if (n > 1) {
    GradModeScope off(false);
    bool forward = direction == Direction::Forward;
    copy_elements(slice(y, dim, forward ? 1 : 0, forward ? n : n - 1, 1),
                  slice(x, dim, forward ? 0 : 1, forward ? n - 1 : n, 1));
  }
  return record(kShift, y, {&x}, {}, [=](Backward& b) { b.give(0, shift(b.g(), dim, opposite(direction), 0)); });
}

Tensor recurrence(const Tensor& a, const Tensor& b, int dim, Direction direction) {
  DType type = scan_dtype(b.dtype());
  Tensor y = empty(b.sizes(), type), left = plain(a, type), right = plain(b, type);
  if (b.numel() > 0) {
    backend().scan->recurrence.unlocked(
        work_on(b.numel()), {type, left->data, right->data, y->data, scan_shape(b.sizes(), dim, direction)});
  }
  y = plain(y, b.dtype());
  return record(kRecurrence, y, {&a, &b}, {&a, &y}, [dim, direction](Backward& back) {
    Tensor next = shift(conj(back.saved(0)), dim, opposite(direction), 0);
    Tensor s = recurrence(next, back.g(), dim, opposite(direction));
    if (back.needs(0)) back.give(0, mul(s, conj(shift(back.saved(1), dim, direction, 0))));
    if (back.needs(1)) back.give(1, s);
  });
}

Tensor running_sum(const Tensor& x, int dim, Direction direction) { return summed(x, dim, direction, x.dtype()); }
Tensor running_product(const Tensor& x, int dim, Direction direction) {
  return multiplied(x, dim, direction, x.dtype());
}
Tensor product_before(const Tensor& x, int dim, Direction direction) {
  return shift(running_product(x, dim, direction), dim, direction, 1);
}

Tensor cumsum(const Tensor& x, int64_t dim, MaybeDType dtype) {
  return summed(x, wrap_dim(dim, x.ndim()), Direction::Forward, total_dtype("cumsum", x, dtype));
}
Tensor cumprod(const Tensor& x, int64_t dim, MaybeDType dtype) {
  return multiplied(x, wrap_dim(dim, x.ndim()), Direction::Forward, total_dtype("cumprod", x, dtype));
}
Extremes cummax(const Tensor& x, int64_t dim) { return running_extreme(kCummax, true, x, dim); }
Extremes cummin(const Tensor& x, int64_t dim) { return running_extreme(kCummin, false, x, dim); }

Tensor logcumsumexp(const Tensor& x, int64_t dim) {
  if (!is_differentiable(x.dtype())) {
    raise(PyExc_NotImplementedError, "\"logcumsumexp_out_cpu\" not implemented for '", facts(x.dtype()).tensor_name,
          "'");
  }
  int d = wrap_dim(dim, x.ndim());
  Tensor y = run_scan(Scan::LogSumExp, x, d, Direction::Forward, x.dtype());
  return record(kLogcumsumexp, y, {&x}, {&x, &y}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d);
    Tensor x = b.saved(0), y = b.saved(1);
    if (x.ndim() == 0) return b.give(0, b.g());  // exp(x - y) would be NaN where x is
    auto conjugated = [](const Tensor& t) { return is_complex(t.dtype()) ? conj(t) : t; };
    // How much of each sum is in the next one. Two that are infinite are the same, and -inf adds nothing.
    Tensor next = shift(y, d, Direction::Reverse, HUGE_VAL), decay = elementwise(OpId::sub, {y, next});
    if (!is_complex(y.dtype())) {
      for (double infinite : {HUGE_VAL, -HUGE_VAL}) {
        Tensor there = elementwise(OpId::eq, {y, Scalar(infinite)});
        decay = elementwise(OpId::where, {there, Scalar(infinite > 0 ? 0 : infinite), decay});
      }
    }
    Tensor share = elementwise(OpId::exp, {elementwise(OpId::sub, {x, y})});
    Tensor later = recurrence(conjugated(elementwise(OpId::exp, {decay})), b.g(), d, Direction::Reverse);
    b.give(0, mul(conjugated(share), later));
  });
}

}  // namespace chainrule
