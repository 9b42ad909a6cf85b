// Losses that compare input and target element by element: a line of the table and its reduction, as one node.
#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/elementwise_gradient.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/loss.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

Tensor add(const Operand& a, const Operand& b) { return elementwise(OpId::add, {a, b}); }
Tensor sub(const Operand& a, const Operand& b) { return elementwise(OpId::sub, {a, b}); }
Tensor neg(const Tensor& t) { return elementwise(OpId::neg, {t}); }
Tensor sigmoid(const Tensor& t) { return elementwise(OpId::sigmoid, {t}); }

Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kNone) return loss;
  return reduction == kMean ? mean(loss, Dims(), false, {}) : sum(loss, Dims(), false, {});
}

// The gradient of each element's loss, given that of the result.
Tensor spread(const Tensor& g, int64_t reduction, Span sizes) {
  if (reduction == kNone) return g;
  Tensor share = reduction == kMean ? elementwise(OpId::div, {g, static_cast<double>(count(sizes))}) : g;
  return expand(share, sizes);
}

void require_floating_pair(const Tensor& x, const Tensor& target, const char* kernel) {
  Operand both[] = {x, target};
  DType dtype = result_type(both);
  if (is_floating(dtype)) return;
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(dtype).tensor_name, "'");
}

void refuse_gradient(const OpRecord& op, const Tensor& t, const char* argument) {
  if (!t || !grad_enabled() || !requires_grad(t)) return;
  raise(PyExc_RuntimeError, "The function '", op.name, "' is not differentiable with respect to argument '", argument,
        "'. This input cannot have requires_grad True.");
}

// Input, target and, in some lines, a weight, which is 1 where none is given.
struct LossInputs {
  Operand all[3];
  size_t size;
  LossInputs(const OpRecord& line, const Tensor& x, const Tensor& target, const Tensor& weight)
      : all{x, target, weight ? Operand(weight) : Operand(1.0)}, size(static_cast<size_t>(line.input_count)) {}
  operator std::span<const Operand>() const { return {all, size}; }
};

struct LossGradient {
  const OpRecord* line;
  int64_t reduction;
  double parameter;
  Dims sizes;  // before the reduction

  void operator()(Backward& b, Kept* kept) const {
    if (kept) return show(*kept);
    Tensor x = b.saved(0), target = b.saved(1), weight = has_saved(b.node(), 2) ? b.saved(2) : Tensor();
    LossInputs inputs(*line, x, target, weight);
    Tensor g = spread(b.g(), reduction, sizes);
    for (int k : {0, 1}) {
      if (b.needs(k)) b.give(k, line_gradient(*line, k, g, inputs, &parameter));
    }
  }

  void show(Kept& kept) const {
    kept.add("self", Slot{0}, "target", Slot{1}, "reduction", reduction);
    if (line->input_count == 3) kept.add("weight", Slot{2});
    if (line->parameter_count) kept.add(line->parameter_names[0], parameter);
  }
};

Tensor loss_by_line(OpId id, const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction,
                    double parameter = 0) {
  const OpRecord& line = record_of(id);
  Tensor each, y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    each = elementwise(id, LossInputs(line, x, target, weight), &parameter);
    y = reduced(each, reduction);
  }
  return record(*line.info, y, {&x, &target}, {&x, &target, &weight},
                LossGradient{&line, reduction, parameter, Dims(each.sizes())});
}

// -log sigmoid(x), and how often it counts.
Tensor miss(const Tensor& x) { return neg(elementwise(OpId::logsigmoid, {x})); }
Tensor times(const Tensor& target, const Tensor& pos_weight) { return add(mul(sub(pos_weight, 1.0), target), 1.0); }

// With a weight for positive targets, which is one input more than a line has.
Tensor balanced_logits(const Tensor& x, const Tensor& target, const Tensor& weight, const Tensor& pos_weight,
                       int64_t reduction) {
  Tensor each, y;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    each = add(mul(sub(1.0, target), x), mul(miss(x), times(target, pos_weight)));
    if (weight) each = mul(each, weight);
    y = reduced(each, reduction);
  }
  return record(*record_of(OpId::binary_cross_entropy_with_logits).info, y, {&x, &target},
                {&x, &target, &weight, &pos_weight},
                [reduction, sizes = Dims(each.sizes()), weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
                  if (kept) {
                    return kept->add("self", Slot{0}, "target", Slot{1}, "weight", Slot{2}, "pos_weight", Slot{3},
                                     "reduction", reduction);
                  }
                  Tensor x = b.saved(0), target = b.saved(1), p = b.saved(3), g = spread(b.g(), reduction, sizes);
                  if (weighted) g = mul(g, b.saved(2));
                  if (b.needs(0)) b.give(0, mul(g, sub(sub(1.0, target), mul(times(target, p), sigmoid(neg(x))))));
                  if (b.needs(1)) b.give(1, mul(g, sub(mul(sub(p, 1.0), miss(x)), x)));
                });
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  require_floating_pair(x, target, "mse_cpu");
  return loss_by_line(OpId::mse_loss, x, target, Tensor(), reduction);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction, double beta) {
  if (beta < 0) raise(PyExc_RuntimeError, "smooth_l1_loss does not support negative values for beta.");
  require_floating_pair(x, target, "smooth_l1_cpu");
  // The rounded part has no width then, and its formula would divide by 0.
  if (beta == 0) return reduced(elementwise(OpId::abs, {sub(x, target)}), reduction);
  return loss_by_line(OpId::smooth_l1_loss, x, target, Tensor(), reduction, beta);
}

Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction, double delta) {
  if (!(delta > 0)) raise(PyExc_RuntimeError, "huber_loss does not support non-positive values for delta.");
  require_floating_pair(x, target, "huber_cpu");
  return loss_by_line(OpId::huber_loss, x, target, Tensor(), reduction, delta);
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction) {
  refuse_gradient(record_of(OpId::binary_cross_entropy), weight, "weight");
  require_floating(x, "binary_cross_entropy");
  return loss_by_line(OpId::binary_cross_entropy, x, target, weight, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, int64_t reduction) {
  const OpRecord& line = record_of(OpId::binary_cross_entropy_with_logits);
  refuse_gradient(line, weight, "weight");
  refuse_gradient(line, pos_weight, "pos_weight");
  require_floating(x, "log_sigmoid_cpu");
  if (pos_weight) return balanced_logits(x, target, weight, pos_weight, reduction);
  return loss_by_line(OpId::binary_cross_entropy_with_logits, x, target, weight, reduction);
}

}  // namespace chainrule
