// The operations that neural networks stand on, bound.
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/embedding.hpp"
#include "ops/loss.hpp"

namespace chainrule {
namespace {

void bind_losses() {
  define(
      "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False)",
      kFunction, embedding);
  define("embedding_renorm_(Tensor input, Tensor indices, float max_norm, float norm_type)", kFunction,
         embedding_renorm_);
  define("nll_loss_nd(Tensor input, Tensor target, Tensor? weight=None, int reduction=0, int ignore_index=-100)",
         kFunctional, nll_loss);
  define(
      "cross_entropy_loss(Tensor input, Tensor target, Tensor? weight=None, int reduction=0, int ignore_index=-100, "
      "float label_smoothing=0.0)",
      kFunctional, cross_entropy);
}

}  // namespace

void bind_networks() { bind_losses(); }

}  // namespace chainrule
