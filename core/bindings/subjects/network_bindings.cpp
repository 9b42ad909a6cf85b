// The operations that neural networks stand on, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/attention.hpp"
#include "ops/networks/embedding.hpp"
#include "ops/networks/glu.hpp"
#include "ops/networks/loss.hpp"
#include "ops/networks/normalize.hpp"

namespace chainrule {
namespace {

void bind_losses() {
  define(
      "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False)",
      kFunction, embedding);
  define(
      "_embedding_bag_sum(Tensor weight, Tensor indices, Tensor starts, Tensor? factors, int padding_idx, bool "
      "scale_grad_by_freq, bool mean, bool sparse)",
      kFunction, embedding_bag);
  define("embedding_renorm_(Tensor input, Tensor indices, float max_norm, float norm_type)", kFunction,
         embedding_renorm_);
  define("nll_loss_nd(Tensor input, Tensor target, Tensor? weight=None, int reduction=0, int ignore_index=-100)",
         kFunctional, nll_loss);
  define(
      "cross_entropy_loss(Tensor input, Tensor target, Tensor? weight=None, int reduction=0, int ignore_index=-100, "
      "float label_smoothing=0.0)",
      kFunctional, cross_entropy);
  define("mse_loss(Tensor input, Tensor target, int reduction=0)", kFunctional, mse_loss);
  define("smooth_l1_loss(Tensor input, Tensor target, int reduction=0, float beta=1.0)", kFunctional, smooth_l1_loss);
  define("huber_loss(Tensor input, Tensor target, int reduction=0, float delta=1.0)", kFunctional, huber_loss);
  define("binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int reduction=0)", kFunctional,
         binary_cross_entropy);
  define(
      "binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int "
      "reduction=0)",
      kFunctional, binary_cross_entropy_with_logits);
}

void bind_norms() {
  define("native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> Tensor[]",
         kFunction, native_layer_norm);
  define(
      "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
      "cudnn_enable=True)",
      kFunction, [](const Tensor& x, const Dims& shape, const Tensor& weight, const Tensor& bias, double eps, bool) {
        return std::get<0>(native_layer_norm(x, shape, weight, bias, eps));
      });
  define("rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None)", kFunction, rms_norm);
  define(
      "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
      "training, float momentum, float eps, *, Tensor[]? out=None) -> Tensor[]",
      kFunction, native_batch_norm);
  define(
      "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
      "training, "
      "float momentum, float eps, bool cudnn_enabled)",
      kFunction,
      [](const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
         bool training, double momentum, double eps,
         bool) { return std::get<0>(native_batch_norm(x, weight, bias, mean, var, training, momentum, eps)); });
  define(
      "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> "
      "Tensor[]",
      kFunction, native_group_norm);
  define(
      "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
      "cudnn_enabled=True)",
      kFunction, [](const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps, bool) {
        return group_norm(x, groups, weight, bias, eps);
      });
  define(
      "instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
      "use_input_stats, float momentum, float eps, bool cudnn_enabled)",
      kFunction,
      [](const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
         bool use_input_stats, double momentum, double eps,
         bool) { return instance_norm(x, weight, bias, mean, var, use_input_stats, momentum, eps); });
}

}  // namespace

void bind_networks() {
  define("glu(Tensor input, int dim=-1)", kFunctional, glu);
  bind_losses();
  bind_norms();
  define(
      "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
      "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False)",
      kFunctional, scaled_dot_product_attention);
}

}  // namespace chainrule
