// Softmax and its logarithm.
#include "ops/networks/softmax.hpp"

#include "backends/softmax.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/networks/kernel_input.hpp"

namespace chainrule {
namespace {

OpInfo kSoftmax{"softmax", "SoftmaxBackward0", "y * (g - sum(g * y))"};
OpInfo kLogSoftmax{"log_softmax", "LogSoftmaxBackward0", "g - exp(y) * sum(g)"};

struct Extent {
  int64_t outer = 1, n = 1, inner = 1;
  Extent(Span sizes, int dim) {
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
      (i < dim ? outer : i == dim ? n : inner) *= sizes[static_cast<size_t>(i)];
    }
  }
};

// Rows of halves the kernel takes as they are, columns of them as floats.
Tensor softmax_input(const Tensor& t, const Extent& e) { return e.inner == 1 ? contiguous(t) : prepared(t); }

Tensor fused_gradient(const Tensor& g, const Tensor& y, int dim, bool logarithm) {
  Extent e(y.sizes(), dim);
  Tensor from = softmax_input(g, e), value = softmax_input(y, e), out = empty(y.sizes(), value.dtype());
  if (y.numel() > 0)
    backend().softmax->gradient.unlocked(
        work_on(y.numel()), {out.dtype(), e.outer, e.n, e.inner, logarithm, from->data, value->data, out->data});
  return to_dtype(out, y.dtype());
}

Tensor gradient_formula(const Tensor& g, const Tensor& y, int dim, bool logarithm) {
  if (logarithm) return g - elementwise(OpId::exp, {y}) * sum(g, Dims{dim}, true, {});
  return y * (g - sum(g * y, Dims{dim}, true, {}));
}

Tensor normalised(OpInfo& op, const Tensor& input, int64_t dim, MaybeDType dtype, bool logarithm) {
  Tensor x = dtype ? to_dtype(input, *dtype) : input;
  int d = wrap_dim(dim, x.ndim());
  if (!is_floating(x.dtype())) {
    raise(PyExc_NotImplementedError, "\"", op.name, d >= x.ndim() - 1 ? "_lastdim" : "",
          "_kernel_impl\" not implemented for '", facts(x.dtype()).tensor_name, "'");
  }
  Tensor y;
  {
    GradModeScope off(false);
    Extent e(x.sizes(), d);
    Tensor from = softmax_input(x, e);
    y = empty(x.sizes(), from.dtype());
    if (x.numel() > 0)
      backend().softmax->value.unlocked(work_on(x.numel()),
                                        {y.dtype(), e.outer, e.n, e.inner, logarithm, from->data, y->data});
    y = to_dtype(y, x.dtype());
  }
  return record(op, y, {&x}, {&y}, [d, logarithm](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d);
    b.give(0, (grad_enabled() ? gradient_formula : fused_gradient)(b.g(), b.saved(0), d, logarithm));
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int64_t dim, MaybeDType dtype) { return normalised(kSoftmax, x, dim, dtype, false); }
Tensor log_softmax(const Tensor& x, int64_t dim, MaybeDType dtype) {
  return normalised(kLogSoftmax, x, dim, dtype, true);
}

}  // namespace chainrule
