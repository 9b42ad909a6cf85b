// The gated linear unit: one half of the input, weighted by the sigmoid of the other.
#include "ops/glu.hpp"

#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"
#include "ops/elementwise.hpp"
#include "ops/join.hpp"
#include "ops/kernel_input.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

OpInfo kGlu{"glu", "GluBackward0", "a: g * sigmoid(b), b: g * a * sigmoid(b) * (1 - sigmoid(b))"};

Tensor mul(const Tensor& a, const Tensor& b) { return elementwise(OpId::mul, {a, b}); }
Tensor half(const Tensor& x, int dim, int64_t which) {
  int64_t n = x.size(dim) / 2;
  return narrow(x, dim, which * n, n);
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
  Tensor y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    y = mul(half(x, d, 0), elementwise(OpId::sigmoid, {half(x, d, 1)}));
  }
  return record(kGlu, y, {&x}, {&x}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d);
    Tensor x = b.saved(0), gate = elementwise(OpId::sigmoid, {half(x, d, 1)}), to_a = mul(b.g(), gate);
    Tensor to_b = mul(mul(to_a, half(x, d, 0)), elementwise(OpId::sub, {1.0, gate}));
    b.give(0, cat(std::vector<Tensor>{to_a, to_b}, d));
  });
}

}  // namespace chainrule
