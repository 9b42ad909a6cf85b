// The gated linear unit: one half of the input, weighted by the sigmoid of the other.
#include "ops/networks/glu.hpp"

#include "backends/glu.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/views/join.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kGlu{"glu", "GluBackward0", "a: g * sigmoid(b), b: g * a * sigmoid(b) * (1 - sigmoid(b))"};

// How many blocks lie one after another, and the size of half of one.
struct GluBlocks {
  int64_t count = 1, half = 1;
  GluBlocks(const Tensor& x, int dim) {
    for (int i = 0; i < x.ndim(); ++i) (i < dim ? count : half) *= x.size(i);
    half /= 2;
  }
};

Tensor glu_value(const Tensor& x, int dim) {
  GradModeScope off(false);
  Tensor from = prepared(x);
  Dims sizes(x.sizes());
  sizes[dim] /= 2;
  Tensor y = empty(sizes, from.dtype());
  GluBlocks blocks(x, dim);
  backend().glu->value({from.dtype(), blocks.count, blocks.half, from->data, y->data});
  y = to_dtype(y, x.dtype());
  return x.is_contiguous() ? y : copy_strided(y, dense_strides_like(narrow(x, dim, 0, sizes[dim])));
}

Tensor glu_gradient(const Tensor& g, const Tensor& x, int dim) {
  Tensor from = prepared(g), at = prepared(x), out = empty(x.sizes(), at.dtype());
  GluBlocks blocks(x, dim);
  backend().glu->gradient({at.dtype(), blocks.count, blocks.half, from->data, at->data, out->data});
  return to_dtype(out, x.dtype());
}

Tensor glu_gradient_formula(const Tensor& g, const Tensor& x, int dim) {
  int64_t n = x.size(dim) / 2;
  Tensor gate = elementwise(OpId::sigmoid, {narrow(x, dim, n, n)}), to_a = g * gate;
  Tensor to_b = to_a * narrow(x, dim, 0, n) * elementwise(OpId::sub, {1.0, gate});
  return cat(std::vector<Tensor>{to_a, to_b}, dim);
}

}  // namespace

Tensor glu(const Tensor& x, int64_t dim) {
  if (x.ndim() == 0) {
    raise(PyExc_RuntimeError, "glu does not support scalars because halving size must be even");
  }
  int d = wrap_dim(dim, x.ndim());
  if (x.size(d) % 2)
    raise(PyExc_RuntimeError, "Halving dimension must be even, but dimension ", d, " is size ", x.size(d));
  require_floating(x, "glu_cpu");
  return record(kGlu, glu_value(x, d), {&x}, {&x}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d);
    b.give(0, (grad_enabled() ? glu_gradient_formula : glu_gradient)(b.g(), b.saved(0), d));
  });
}

}  // namespace chainrule
