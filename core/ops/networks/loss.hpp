// Losses over classes, and losses that compare element by element.
#pragma once
#include "backends/loss.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Raises for targets that are neither classes nor `ignored`.
void check_targets(const ClassTargets& t);

// -weight[target] * x[n, target[n], ...], over classes in dimension 1 (0 for a vector); targets equal to `ignored`
// count nothing.
Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored);
// nll_loss(log_softmax(x)); `target` holds class indices, or probabilities when it has the shape of x.
Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
                     double smoothing);

// ---- elementwise_loss.cpp
Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction);
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction, double beta);
Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction, double delta);
// The weights of these two count as constants.
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction);
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, int64_t reduction);

}  // namespace chainrule
