// The negative log-likelihood of classes: picking out one number per sample, and its transpose.
#include "ops/networks/loss.hpp"

#include "backends/bounds.hpp"
#include "backends/recording/recording.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kNll{"nll_loss_nd", "NllLossBackward0", "-weight * g at the target classes, zeros elsewhere"};
OpInfo kNll2d{"nll_loss_nd", "NllLoss2DBackward0", "-weight * g at the target classes, zeros elsewhere"};
OpInfo kNllGradient{"nll_loss_backward", "NllLossBackwardBackward0", "-weight * g at the target classes"};

// Of scores of the given sizes, whose classes are in dimension 1 (0 for a vector); raises for targets that are none.
ClassTargets checked_targets(Span sizes, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
                             DType dtype) {
  ClassTargets t{1, 0, 1, reduction, ignored, target.data<int64_t>(), dtype, weight ? weight->data : nullptr};
  size_t dim = sizes.size() == 1 ? 0 : 1;
  for (size_t i = 0; i < dim; ++i) t.samples *= sizes[i];
  for (size_t i = dim + 1; i < sizes.size(); ++i) t.positions *= sizes[i];
  t.classes = sizes[dim];
  check_targets(t);
  return t;
}

void check_target_dtype(const Tensor& target) {
  if (target.dtype() == DType::Int64 || target.dtype() == DType::UInt8) return;
  raise(PyExc_RuntimeError, "expected target dtype to be Long or Byte, but got ", facts(target.dtype()).tensor_name);
}

void check_shapes(const Tensor& x, const Tensor& target, const Tensor& weight) {
  if (x.ndim() == 0) raise(PyExc_ValueError, "Expected 1 or more dimensions (got 0)");
  int64_t classes = x.size(x.ndim() == 1 ? 0 : 1);
  if (x.ndim() == 1) {
    check(target.ndim() == 0 || target.numel() == 1, "size mismatch (got input: ", x.sizes(),
          ", target: ", target.sizes(), ")");
  } else if (target.ndim() == 0 || target.size(0) != x.size(0)) {
    raise(PyExc_ValueError, "Expected input batch_size (", x.size(0), ") to match target batch_size (",
          target.ndim() ? target.size(0) : 1, ").");
  } else {
    Dims wanted(x.sizes());
    wanted.erase(1);
    check(target.ndim() + 1 == x.ndim(),
          x.ndim() == 4 ? "only batches of spatial targets supported (3D tensors) but "
                          "got targets of dimension: "
                        : "0D or 1D target tensor expected, multi-target not supported; "
                          "dimension: ",
          target.ndim());
    check(equal(wanted, target.sizes()), "size mismatch (got input: ", x.sizes(), " , target: ", target.sizes(), ")");
  }
  if (!weight) return;
  check(weight.ndim() == 1 && weight.numel() == classes, "weight tensor should be defined either for all ", classes,
        " classes or no classes but got weight tensor of shape: ", weight.sizes());
}

Tensor nll_value(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored) {
  GradModeScope off(false);
  Tensor from = prepared(x), at = contiguous(to_dtype(target, DType::Int64)), w = prepared(weight);
  const ClassTargets t = checked_targets(x.sizes(), at, w, reduction, ignored, from.dtype());
  Tensor out = reduction == kNone ? empty(target.sizes(), from.dtype()) : empty({}, from.dtype());
  backend().loss->nll({t, from->data, out->data});
  return to_dtype(out, x.dtype());
}

Tensor gradient_of_nll(const Tensor& g, const Tensor& target, const Tensor& weight, Span sizes, int64_t reduction,
                       int64_t ignored) {
  Tensor out;
  {
    GradModeScope off(false);
    Tensor from = prepared(g), at = contiguous(to_dtype(target, DType::Int64)), w = prepared(weight);
    // Checked again: they may have been overwritten since.
    const ClassTargets t = checked_targets(sizes, at, w, reduction, ignored, from.dtype());
    Tensor to = empty(sizes, from.dtype());
    backend().loss->nll_gradient({t, from->data, to->data});
    out = to_dtype(to, g.dtype());
  }
  return record(kNllGradient, out, {&g}, {&target, &weight},
                [reduction, ignored, weighted = static_cast<bool>(weight)](Backward& b) {
                  b.give(0, nll_loss(b.g(), b.saved(0), saved_if(b, 1, weighted), reduction, ignored));
                });
}

}  // namespace

void check_targets(const ClassTargets& targets) {
  if (recorder) recorder->note_address(targets.target);
  replayed_whole([t = targets] {
    StrayIndex stray;
    backend().bounds->check({t.target, t.count(), t.classes, t.ignored, &stray});
    if (stray.position >= 0) {
      raise(PyExc_IndexError, "Target ", stray.value, " is out of bounds. There are ", t.classes, " classes");
    }
  });
}

Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored) {
  check_shapes(x, target, weight);
  check_target_dtype(target);
  require_floating(x, "nll_loss_out_frame");
  check(!weight || weight.dtype() == x.dtype(), "expected scalar type ", facts(x.dtype()).tensor_name, " but found ",
        weight ? facts(weight.dtype()).tensor_name : "");
  return record(
      x.ndim() <= 2 ? kNll : kNll2d, nll_value(x, target, weight, reduction, ignored), {&x}, {&target, &weight},
      [sizes = Dims(x.sizes()), reduction, ignored, weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
        if (kept)
          return kept->add("ignore_index", ignored, "reduction", reduction, "target", Slot{0}, "weight", Slot{1});
        b.give(0, gradient_of_nll(b.g(), b.saved(0), saved_if(b, 1, weighted), sizes, reduction, ignored));
      });
}

}  // namespace chainrule
