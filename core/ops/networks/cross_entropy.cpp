// Cross-entropy in one pass over the scores: what is kept of a row is the logarithm of its sum of exponentials.
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/loss.hpp"
#include "ops/networks/softmax.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kCrossEntropy{"cross_entropy_loss", "NllLossBackward0", "g * weight * (softmax(x) - 1 at the target class)"};

int class_dim(const Tensor& x) { return x.ndim() == 1 ? 0 : 1; }

Tensor composed(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored) {
  return nll_loss(log_softmax(x, class_dim(x), {}), target, weight, reduction, ignored);
}

// The weights of classes, laid out beside the scores.
Tensor beside_classes(const Tensor& weight, const Tensor& x) {
  Dims sizes(x.ndim(), 1);
  sizes[class_dim(x)] = weight.numel();
  return view(contiguous(weight), sizes);
}

int64_t samples(const Tensor& x) { return x.numel() / std::max<int64_t>(1, x.size(class_dim(x))); }

Tensor with_probabilities(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction,
                          double smoothing) {
  int dim = class_dim(x);
  auto classes = static_cast<double>(x.size(dim));
  check(is_floating(target.dtype()), "Expected floating point type for target with class probabilities, got ",
        facts(target.dtype()).tensor_name);
  check(!weight || (weight.ndim() == 1 && weight.numel() == x.size(dim)),
        "cross_entropy: weight tensor should be defined either for all ", x.size(dim),
        " classes or no classes but got weight tensor of shape: ", weight ? weight.sizes() : Span());
  Tensor p = smoothing > 0 ? target * (1 - smoothing) + smoothing / classes : target;
  Tensor terms = log_softmax(x, dim, {}) * p;
  if (weight) terms = terms * beside_classes(weight, x);
  if (reduction == kNone) return -sum(terms, Dims{dim}, false, {});
  if (reduction == kSum) return -sum(terms, {}, false, {});
  return -sum(terms, {}, false, {}) / (samples(x) == 0 ? 1.0 : static_cast<double>(samples(x)));
}

// (1 - smoothing) of the loss of the target class, the rest spread evenly over all classes.
Tensor with_smoothing(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
                      double smoothing) {
  int dim = class_dim(x);
  Tensor y = log_softmax(x, dim, {});
  Tensor loss = nll_loss(y, target, weight, reduction, ignored);
  Tensor even = -sum(weight ? y * beside_classes(weight, x) : y, Dims{dim}, false, {});
  Tensor counts = elementwise(OpId::ne, {target, Scalar::of_int(ignored)});
  even = elementwise(OpId::where, {counts, even, Operand(0.0)});
  if (reduction != kNone) {
    Tensor total = sum(even, {}, false, {});
    if (reduction == kMean) {
      // The same divisor as nll_loss has: the weights of the targets that count.
      Tensor ones_like_scores = elementwise(OpId::mul, {detach(y), Operand(0.0)}) - 1.0;
      total = total / nll_loss(ones_like_scores, target, weight, kSum, ignored);
    }
    even = total;
  }
  return loss * (1 - smoothing) + even * (smoothing / static_cast<double>(x.size(dim)));
}

// ---- one pass

ClassTargets row_targets(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction,
                         int64_t ignored) {
  ClassTargets t{
      x.size(0), x.size(1), 1, reduction, ignored, target.data<int64_t>(), x.dtype(), weight ? weight->data : nullptr};
  check_targets(t);
  return t;
}

Tensor fused(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored) {
  Tensor out, log_totals;
  {
    GradModeScope off(false);
    Tensor x = prepared(input), at = contiguous(to_dtype(target, DType::Int64)), w = prepared(weight);
    const ClassTargets t = row_targets(x, at, w, reduction, ignored);
    log_totals = empty(Dims{t.samples}, x.dtype());
    Tensor loss = reduction == kNone ? empty(Dims{t.samples}, x.dtype()) : empty({}, x.dtype());
    backend().loss->cross_entropy({t, x->data, log_totals->data, loss->data});
    out = to_dtype(loss, input.dtype());
  }
  return record(kCrossEntropy, out, {&input}, {&input, &target, &log_totals, &weight},
                [reduction, ignored, weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
                  if (kept)
                    return kept->add("ignore_index", ignored, "reduction", reduction, "input", Slot{0}, "target",
                                     Slot{1}, "weight", Slot{3});
                  Tensor input = b.saved(0), target = b.saved(1), weight = saved_if(b, 3, weighted);
                  if (grad_enabled()) {
                    return give_composed_gradient(b, {input}, [&](const std::vector<Tensor>& in) {
                      return composed(in[0], target, weight, reduction, ignored);
                    });
                  }
                  Tensor at = contiguous(to_dtype(target, DType::Int64)), x = prepared(input), w = prepared(weight);
                  // Checked again: they may have been overwritten since.
                  const ClassTargets t = row_targets(x, at, w, reduction, ignored);
                  Tensor g = prepared(b.g()), log_totals = b.saved(2), dx = empty(x.sizes(), x.dtype());
                  backend().loss->cross_entropy_gradient({t, g->data, x->data, log_totals->data, dx->data});
                  b.give(0, to_dtype(dx, input.dtype()));
                });
}

bool can_fuse(const Tensor& x, const Tensor& target, const Tensor& weight) {
  return x.ndim() == 2 && target.ndim() == 1 && target.size(0) == x.size(0) && is_floating(x.dtype()) &&
         x.numel() > 0 && (target.dtype() == DType::Int64 || target.dtype() == DType::UInt8) &&
         (!weight || (weight.dtype() == x.dtype() && weight.ndim() == 1 && weight.numel() == x.size(1)));
}

}  // namespace

Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
                     double smoothing) {
  if (x.ndim() > 0 && equal(x.sizes(), target.sizes())) {
    check(smoothing >= 0 && smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: ", smoothing);
    return with_probabilities(x, target, weight, reduction, smoothing);
  }
  check(smoothing >= 0 && smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: ", smoothing);
  if (smoothing > 0) return with_smoothing(x, target, weight, reduction, ignored, smoothing);
  return can_fuse(x, target, weight) ? fused(x, target, weight, reduction, ignored)
                                     : composed(x, target, weight, reduction, ignored);
}

}  // namespace chainrule
