// Losses that compare input and target element by element. The comparison and the reduction are one node.
#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"
#include "ops/elementwise.hpp"
#include "ops/kernel_input.hpp"
#include "ops/loss.hpp"
#include "ops/promotion.hpp"
#include "ops/reduce.hpp"

namespace chainrule {
namespace {

OpInfo kMse{"mse_loss", "MseLossBackward0", "g * 2 * (x - target) / n"};
OpInfo kSmoothL1{"smooth_l1_loss", "SmoothL1LossBackward0", "g * (x - target) / beta within beta, else g * sign, / n"};
OpInfo kHuber{"huber_loss", "HuberLossBackward0", "g * (x - target) within delta, else g * delta * sign, / n"};
OpInfo kEntropy{"binary_cross_entropy", "BinaryCrossEntropyBackward0", "g * weight * (x - target) / (x * (1 - x)) / n"};
OpInfo kWithLogits{"binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
                   "g * weight * (sigmoid(x) - target) / n"};

Tensor sub(const Operand& a, const Operand& b) { return elementwise(OpId::sub, {a, b}); }
Tensor mul(const Operand& a, const Operand& b) { return elementwise(OpId::mul, {a, b}); }
Tensor abs(const Tensor& t) { return elementwise(OpId::abs, {t}); }
Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  return elementwise(OpId::where, {condition, a, b});
}

Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kNone) return loss;
  return reduction == kMean ? mean(loss, Dims(), false, {}) : sum(loss, Dims(), false, {});
}

// The gradient of each element's loss, given that of the result.
Tensor spread(Backward& b, int64_t reduction, int64_t count) {
  return reduction == kMean ? elementwise(OpId::div, {b.g(), static_cast<double>(count)}) : b.g();
}

// A loss of the difference alone: value(d), and its derivative slope(d), which is that of the target but for the sign.
template <class Value, class Slope>
Tensor loss_of_difference(OpInfo& op, const char* kernel, const Tensor& x, const Tensor& target, int64_t reduction,
                          const char* parameter, double number, Value value, Slope slope) {
  Operand both[] = {x, target};
  if (DType dtype = result_type(both); !is_floating(dtype)) {
    raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(dtype).tensor_name, "'");
  }
  Tensor each, y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    each = value(sub(x, target));
    y = reduced(each, reduction);
  }
  return record(op, y, {&x, &target}, {&x, &target},
                [reduction, parameter, number, slope, count = each.numel()](Backward& b, Kept* kept) {
                  if (kept) {
                    kept->add("self", Slot{0}, "target", Slot{1}, "reduction", reduction);
                    return parameter ? kept->add(parameter, number) : void();
                  }
                  Tensor g = mul(spread(b, reduction, count), slope(sub(b.saved(0), b.saved(1))));
                  if (b.needs(1)) b.give(1, elementwise(OpId::neg, {g}));
                  if (b.needs(0)) b.give(0, std::move(g));
                });
}

void refuse_gradient(const OpInfo& op, const Tensor& t, const char* argument) {
  if (!t || !grad_enabled() || !requires_grad(t)) return;
  raise(PyExc_RuntimeError, "The function '", op.name, "' is not differentiable with respect to argument '", argument,
        "'. This input cannot have requires_grad True.");
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  return loss_of_difference(
      kMse, "mse_cpu", x, target, reduction, nullptr, 0, [](const Tensor& d) { return elementwise(OpId::square, {d}); },
      [](const Tensor& d) { return mul(d, 2.0); });
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction, double beta) {
  if (beta < 0) raise(PyExc_RuntimeError, "smooth_l1_loss does not support negative values for beta.");
  auto value = [beta](const Tensor& d) {
    Tensor distance = abs(d);
    if (beta == 0) return distance;
    Tensor near = mul(elementwise(OpId::square, {d}), 0.5 / beta);
    return where(elementwise(OpId::lt, {distance, beta}), near, sub(distance, 0.5 * beta));
  };
  return loss_of_difference(
      kSmoothL1, "smooth_l1_cpu", x, target, reduction, "beta", beta, value, [beta](const Tensor& d) {
        Tensor sign = elementwise(OpId::sign, {d});
        return beta == 0 ? sign : where(elementwise(OpId::lt, {abs(d), beta}), mul(d, 1 / beta), sign);
      });
}

Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction, double delta) {
  if (!(delta > 0)) raise(PyExc_RuntimeError, "huber_loss does not support non-positive values for delta.");
  auto value = [delta](const Tensor& d) {
    Tensor distance = abs(d), near = mul(elementwise(OpId::square, {d}), 0.5);
    return where(elementwise(OpId::le, {distance, delta}), near, mul(sub(distance, 0.5 * delta), delta));
  };
  return loss_of_difference(kHuber, "huber_cpu", x, target, reduction, "delta", delta, value, [delta](const Tensor& d) {
    return where(elementwise(OpId::le, {abs(d), delta}), d, mul(elementwise(OpId::sign, {d}), delta));
  });
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction) {
  refuse_gradient(kEntropy, weight, "weight");
  require_floating(x, "binary_cross_entropy");
  auto log = [](const Tensor& t) { return elementwise(OpId::log, {t}); };
  Tensor each, y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    // No logarithm is below -100, so that a wrong answer of certainty costs something finite.
    Tensor other = elementwise(OpId::clamp_min, {elementwise(OpId::log1p, {elementwise(OpId::neg, {x})}), -100.0});
    each = sub(mul(sub(target, 1.0), other), mul(target, elementwise(OpId::clamp_min, {log(x), -100.0})));
    if (weight) each = mul(each, weight);
    y = reduced(each, reduction);
  }
  return record(kEntropy, y, {&x, &target}, {&x, &target, &weight},
                [log, reduction, count = each.numel(), weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
                  if (kept)
                    return kept->add("self", Slot{0}, "target", Slot{1}, "weight", Slot{2}, "reduction", reduction);
                  Tensor x = b.saved(0), g = spread(b, reduction, count), rest = sub(1.0, x);
                  if (weighted) g = mul(g, b.saved(2));
                  if (b.needs(0)) {
                    Tensor spread = elementwise(OpId::clamp_min, {mul(x, rest), 1e-12});
                    b.give(0, elementwise(OpId::div, {mul(g, sub(x, b.saved(1))), spread}));
                  }
                  if (b.needs(1)) b.give(1, mul(g, sub(log(rest), log(x))));
                });
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, int64_t reduction) {
  refuse_gradient(kWithLogits, weight, "weight");
  refuse_gradient(kWithLogits, pos_weight, "pos_weight");
  require_floating(x, "log_sigmoid_cpu");
  // -log sigmoid(x), how often it counts, and the loss: PyTorch's formula, which overflows nowhere.
  auto miss = [](const Tensor& x) { return elementwise(OpId::neg, {elementwise(OpId::logsigmoid, {x})}); };
  auto times = [](const Tensor& t, const Tensor& p) { return elementwise(OpId::add, {mul(sub(p, 1.0), t), 1.0}); };
  Tensor each, y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    Tensor missed = pos_weight ? mul(miss(x), times(target, pos_weight)) : miss(x);
    each = elementwise(OpId::add, {mul(sub(1.0, target), x), missed});
    if (weight) each = mul(each, weight);
    y = reduced(each, reduction);
  }
  return record(kWithLogits, y, {&x, &target}, {&x, &target, &weight, &pos_weight},
                [miss, times, reduction, count = each.numel(), weighted = static_cast<bool>(weight),
                 balanced = static_cast<bool>(pos_weight)](Backward& b, Kept* kept) {
                  if (kept) {
                    return kept->add("self", Slot{0}, "target", Slot{1}, "weight", Slot{2}, "pos_weight", Slot{3},
                                     "reduction", reduction);
                  }
                  Tensor x = b.saved(0), t = b.saved(1), g = spread(b, reduction, count), p;
                  if (weighted) g = mul(g, b.saved(2));
                  if (balanced) p = b.saved(3);
                  if (b.needs(0)) {
                    Tensor other = elementwise(OpId::sigmoid, {elementwise(OpId::neg, {x})});
                    Tensor slope =
                        p ? sub(sub(1.0, t), mul(times(t, p), other)) : sub(elementwise(OpId::sigmoid, {x}), t);
                    b.give(0, mul(g, slope));
                  }
                  if (!b.needs(1)) return;
                  Tensor slope = elementwise(OpId::neg, {x});
                  if (p) slope = elementwise(OpId::add, {slope, mul(sub(p, 1.0), miss(x))});
                  b.give(1, mul(g, slope));
                });
}

}  // namespace chainrule
