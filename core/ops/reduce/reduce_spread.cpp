// Variance, standard deviation and norms.
#include <cmath>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

using TensorPair = std::pair<Tensor, Tensor>;

OpInfo kVar{"var", "VarBackward0", "g * 2 / (n - correction) * (x - mean)"};
OpInfo kStd{"std", "StdBackward0", "g / (n - correction) * (x - mean) / y"};
OpInfo kVarMean{"var_mean", "VarMeanBackward0", "g0 * 2 / (n - correction) * (x - mean) + g1 / n"};
OpInfo kStdMean{"std_mean", "StdMeanBackward0", "g0 / (n - correction) * (x - mean) / y + g1 / n"};

void check_dtype(const Tensor& x, const char* names) {
  if (is_differentiable(x.dtype())) return;
  raise(PyExc_RuntimeError, names, " only support floating point and complex dtypes");
}

void check_freedom(const char* name, double freedom) {
  if (freedom > 0) return;
  std::string text = std::string(name) +
                     "(): degrees of freedom is <= 0. Correction should be strictly less than the "
                     "reduction factor (input numel divided by output numel).";
  from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
}

// The mean as PyTorch's running one: infinity minus infinity, NaN, once anything follows an infinite element.
Tensor running_mean(const Tensor& average, const Tensor& x, uint64_t reduced, bool keepdim) {
  Tensor infinite = elementwise(OpId::isinf, {average});
  if (!item(any(infinite, Dims(), false)).integer) return average;
  Dims dims = ReducedShape{reduced, Dims(x.sizes()), keepdim}.dims();
  Tensor marks = elementwise(OpId::isinf, {x}), last = marks;
  for (int64_t d : dims) last = narrow(last, d, last.size(static_cast<int>(d)) - 1, 1);
  Tensor followed = elementwise(OpId::ne, {sum(marks, dims, keepdim, {}), sum(last, dims, keepdim, {})});
  return elementwise(OpId::where, {elementwise(OpId::logical_and, {infinite, followed}), Scalar(NAN), average});
}

// The variance or its root, and the mean when `average` is not null; not recorded. The root of halves is taken of
// floats, since the variance may be larger than a half.
Tensor spread(const Tensor& x, uint64_t reduced, bool keepdim, double correction, const char* name, bool root,
              Tensor* average) {
  GradModeScope off(false);
  Dims sizes(x.sizes());
  int64_t folded = ReducedShape{reduced, sizes, keepdim}.folded();
  double freedom = static_cast<double>(folded) - correction;
  check_freedom(name, freedom);
  freedom = folded ? std::max(freedom, 0.0) : 0.0;  // nothing has no spread, whatever is taken off
  if (!is_complex(x.dtype())) {
    DType wide = root && size_of(x.dtype()) == 2 ? DType::Float32 : x.dtype();
    Tensor y = run_reduction(ReduceOp::Variance, x, reduced, keepdim, {x.dtype(), wide, freedom, average});
    if (average) *average = running_mean(to_dtype(*average, x.dtype()), x, reduced, keepdim);
    return root ? to_dtype(elementwise(OpId::sqrt, {y}), x.dtype()) : y;
  }
  // The parts of a complex number vary independently.
  DType part = real_of(x.dtype());
  Tensor means,
      parts = run_reduction(ReduceOp::Variance, view_as_real(x), reduced, keepdim, {part, part, freedom, &means});
  if (average) *average = alias(view_as_complex(means));
  Tensor y = sum(parts, Dims{-1}, false, {});
  return root ? elementwise(OpId::sqrt, {y}) : y;
}

// Without freedom the value is infinite. Of all dimensions at once PyTorch gives a gradient that is, too; of named
// dimensions (`named`) it follows the formula.
Tensor var_gradient(const Tensor& x, const Tensor& g, const ReducedShape& s, double correction, bool named) {
  Tensor centered = elementwise(OpId::sub, {x, mean(x, s.dims(), true, {})});
  double freedom = static_cast<double>(s.folded()) - correction;
  if (freedom > 0 || named) return mul(mul(g, 2 / freedom), centered);
  Tensor constant = elementwise(OpId::eq, {centered, 0.0});
  return mul(g, elementwise(OpId::where, {constant, Scalar(NAN), Scalar(HUGE_VAL)}));
}

// g / (2 y), and 0 where y is: a standard deviation of 0 passes nothing on.
Tensor std_to_var(const Tensor& g, const Tensor& y) {
  Tensor none = elementwise(OpId::eq, {y, 0.0});
  Tensor safe = elementwise(OpId::where, {none, Scalar(1.0), y});
  return elementwise(OpId::where, {none, Scalar(0.0), elementwise(OpId::div, {g, mul(safe, 2.0)})});
}

// Two results of one node: the spread and the mean.
TensorPair with_mean(OpInfo& op, bool root, const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  check_dtype(x, op.name);
  uint64_t reduced = reduced_dims(dims, x.ndim());
  bool named = !dims.empty() && x.ndim() > 0;
  Tensor average, y = spread(x, reduced, keepdim, correction, op.name, root, &average);
  return record_pair(op, y, average, {&x}, {&x, &y}, [=, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    ReducedShape s{reduced, sizes, keepdim};
    if (kept)
      return kept->add("correction", correction, "dim", s.dims(), "keepdim", keepdim, "self", Slot{0}, "result0",
                       Slot{1});
    Tensor result;
    if (b.has_g(0)) {
      Tensor g = root ? std_to_var(b.g(0), b.saved(1)) : b.g(0);
      result = var_gradient(b.saved(0), s.restore(g), s, correction, named);
    }
    if (b.has_g(1)) {
      Tensor share = elementwise(OpId::div, {b.g(1), static_cast<double>(s.folded())});
      share = expand(s.restore(share), s.sizes);
      result = result ? elementwise(OpId::add, {result, share}) : share;
    }
    b.give(0, result);
  });
}

}  // namespace

Tensor var(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  check_dtype(x, "std and var");
  uint64_t reduced = reduced_dims(dims, x.ndim());
  bool named = !dims.empty() && x.ndim() > 0;
  Tensor y = spread(x, reduced, keepdim, correction, "var", false, nullptr);
  return record_reduction(kVar, y, x, reduced, keepdim, {&x},
                          [correction, named](Backward& b, const ReducedShape& s, Kept* kept) {
                            if (kept) return kept->add("correction", correction);
                            b.give(0, var_gradient(b.saved(0), s.restore(b.g()), s, correction, named));
                          });
}

Tensor standard_deviation(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  check_dtype(x, "std and var");
  uint64_t reduced = reduced_dims(dims, x.ndim());
  bool named = !dims.empty() && x.ndim() > 0;
  Tensor y = spread(x, reduced, keepdim, correction, "std", true, nullptr);
  return record_reduction(kStd, y, x, reduced, keepdim, {&x, &y},
                          [correction, named](Backward& b, const ReducedShape& s, Kept* kept) {
                            if (kept) return kept->add("correction", correction);
                            Tensor g = std_to_var(b.g(), b.saved(1));
                            b.give(0, var_gradient(b.saved(0), s.restore(g), s, correction, named));
                          });
}

TensorPair var_mean(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  return with_mean(kVarMean, false, x, dims, correction, keepdim);
}
TensorPair std_mean(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  return with_mean(kStdMean, true, x, dims, correction, keepdim);
}

}  // namespace chainrule
