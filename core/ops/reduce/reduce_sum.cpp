// Sums and what follows from them: mean, counts, the logarithm of a sum of exponentials.
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kSum{"sum", "SumBackward0", "g expanded to the shape of x"};
OpInfo kSumDims{"sum", "SumBackward1", "g expanded to the shape of x"};
OpInfo kMean{"mean", "MeanBackward0", "g / n expanded to the shape of x"};
OpInfo kMeanDims{"mean", "MeanBackward1", "g / n expanded to the shape of x"};
OpInfo kNansum{"nansum", "NansumBackward0", "g where x is a number, else 0"};
OpInfo kLogsumexp{"logsumexp", "LogsumexpBackward0", "g * exp(x - y)"};

DType sum_dtype(const Tensor& x, MaybeDType dtype) {
  DType result = dtype ? *dtype : is_differentiable(x.dtype()) ? x.dtype() : DType::Int64;
  check_autograd_dtype(x, result);
  return result;
}

DType mean_dtype(const Tensor& x, MaybeDType dtype, const char* name = "mean") {
  DType result = dtype.value_or(x.dtype());
  if (is_differentiable(result)) return result;
  raise(PyExc_RuntimeError, name, "(): could not infer output dtype. ", dtype ? "Optional" : "Input",
        " dtype must be either a floating point or complex dtype. Got: ", facts(result).tensor_name,
        dtype ? ""
              : "\n  mean: a mean of integers is seldom one; say which dtype you want, as in x.mean(dtype=float32).");
}

int64_t folded_count(Span sizes, uint64_t reduced) {
  int64_t n = 1;
  for (size_t i = 0; i < sizes.size(); ++i) n *= reduced >> i & 1 ? sizes[i] : 1;
  return n;
}

bool is_whole(const Dims& dims, bool keepdim) { return dims.empty() && !keepdim; }

}  // namespace

Tensor sum(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype) {
  uint64_t reduced = reduced_dims(dims, x.ndim());
  DType type = sum_dtype(x, dtype);
  Tensor y = run_reduction(ReduceOp::Sum, x, reduced, keepdim, {type, type});
  return record_reduction(is_whole(dims, keepdim) ? kSum : kSumDims, y, x, reduced, keepdim, {},
                          [](Backward& b, const ReducedShape& s) { b.give(0, expand(s.restore(b.g()), s.sizes)); });
}

Tensor mean(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype) {
  DType type = mean_dtype(x, dtype);
  uint64_t reduced = reduced_dims(dims, x.ndim());
  auto n = static_cast<double>(folded_count(x.sizes(), reduced));
  Tensor y = run_reduction(ReduceOp::Sum, x, reduced, keepdim, {type, type, n});
  return record_reduction(is_whole(dims, keepdim) ? kMean : kMeanDims, y, x, reduced, keepdim, {},
                          [](Backward& b, const ReducedShape& s, Kept* kept) {
                            if (kept) return kept->add("self_sym_numel", count(s.sizes));
                            auto n = static_cast<double>(std::max<int64_t>(1, s.folded()));
                            Tensor share = elementwise(OpId::div, {b.g(), n});
                            b.give(0, expand(s.restore(share), s.sizes));
                          });
}

Tensor nansum(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype) {
  if (is_complex(x.dtype())) raise(PyExc_RuntimeError, "nansum on CPU does not support complex inputs");
  if (!is_floating(x.dtype())) return sum(x, dims, keepdim, dtype);
  uint64_t reduced = reduced_dims(dims, x.ndim());
  DType type = sum_dtype(x, dtype);
  if (is_complex(type)) {
    raise(PyExc_NotImplementedError, "\"nansum_cpu\" not implemented for '", facts(type).tensor_name, "'");
  }
  if (!is_floating(type)) {  // the kernels look for NaN in real numbers only
    Tensor numbers = elementwise(OpId::where, {elementwise(OpId::isnan, {x}), Scalar(0.0), x});
    return sum(numbers, dims, keepdim, type);
  }
  Tensor y = run_reduction(ReduceOp::NanSum, x, reduced, keepdim, {type, type});
  return record_reduction(kNansum, y, x, reduced, keepdim, {&x}, [](Backward& b, const ReducedShape& s) {
    Tensor x = b.saved(0), is_number = elementwise(OpId::eq, {x, x});
    b.give(0, elementwise(OpId::mul, {s.restore(b.g()), is_number}));  // an infinite g is not hidden
  });
}

Tensor nanmean(const Tensor& x, const Dims& dims, bool keepdim, MaybeDType dtype) {
  if (!is_differentiable(x.dtype())) {
    raise(PyExc_RuntimeError, "nanmean(): expected input to have floating point or complex dtype but got ",
          facts(x.dtype()).tensor_name);
  }
  mean_dtype(x, dtype, "nanmean");
  Tensor numbers = elementwise(OpId::eq, {x, x});
  return elementwise(OpId::div, {nansum(x, dims, keepdim, dtype), sum(numbers, dims, keepdim, {})});
}

Tensor count_nonzero(const Tensor& x, const Dims& dims) {
  return run_reduction(ReduceOp::Sum, x, reduced_dims(dims, x.ndim()), false, {DType::Bool, DType::Int64});
}

Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim) {
  Tensor x = is_differentiable(input.dtype()) ? input : to_dtype(input, default_dtype());
  uint64_t reduced = reduced_dims(dims, x.ndim());
  Tensor y;
  {
    GradModeScope off(false);
    if (x.numel() == 0) {
      y = elementwise(OpId::log, {sum(elementwise(OpId::exp, {x}), dims, keepdim, {})});
    } else {
      // The largest is taken out so that no exponential overflows; an infinite one would give inf - inf.
      Tensor top = amax(real(x), dims, true);
      Tensor size = elementwise(OpId::abs, {top});
      top = elementwise(OpId::where, {elementwise(OpId::eq, {size, Scalar(HUGE_VAL)}), Scalar(0.0), top});
      Tensor total = sum(elementwise(OpId::exp, {elementwise(OpId::sub, {x, top})}), dims, keepdim, {});
      Tensor shift = equal(total.sizes(), top.sizes()) ? top : reshape(top, total.sizes());
      y = elementwise(OpId::add, {elementwise(OpId::log, {total}), shift});
    }
  }
  return record_reduction(kLogsumexp, y, x, reduced, keepdim, {&x, &y}, [](Backward& b, const ReducedShape& s) {
    Tensor y = s.restore(b.saved(1)), g = s.restore(b.g());
    Tensor share = elementwise(OpId::exp, {elementwise(OpId::sub, {b.saved(0), y})});
    b.give(0, elementwise(OpId::mul, {g, conj(share)}));
  });
}

}  // namespace chainrule
