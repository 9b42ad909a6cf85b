"""The functions that the layers of nn stand on, as torch.nn.functional. A file loads when one of its names is used."""

import importlib

from ...lazy import load

_FILES = {
    "activation": (
        "celu celu_ elu elu_ gelu glu gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hardtanh_ "
        "leaky_relu leaky_relu_ log_softmax logsigmoid mish prelu relu relu6 relu_ rrelu rrelu_ selu selu_ "
        "sigmoid silu softmax softmin softplus softshrink softsign tanh tanhshrink threshold threshold_"
    ),
    "attention": "multi_head_attention_forward scaled_dot_product_attention",
    "blocks": "fold unfold",
    "classification": "binary_cross_entropy cross_entropy linear_cross_entropy nll_loss",
    "convolution": "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d",
    "ctc": "ctc_loss",
    "distance": "cosine_similarity pairwise_distance pdist",
    "dropping": "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout",
    "grouped": "grouped_mm",
    "linear_maps": "bilinear linear",
    "look_up": "embedding embedding_bag one_hot",
    "loss": (
        "binary_cross_entropy_with_logits gaussian_nll_loss huber_loss kl_div l1_loss mse_loss "
        "multilabel_soft_margin_loss poisson_nll_loss smooth_l1_loss"
    ),
    "margin": (
        "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss multi_margin_loss "
        "multilabel_margin_loss soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss"
    ),
    "normalization": "batch_norm group_norm instance_norm layer_norm local_response_norm normalize rms_norm",
    "padding": "pad",
    "pooling": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
        "adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices "
        "adaptive_max_pool3d adaptive_max_pool3d_with_indices avg_pool1d avg_pool2d avg_pool3d "
        "fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
        "fractional_max_pool3d_with_indices lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices "
        "max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d "
        "max_unpool3d"
    ),
    "resample": "affine_grid grid_sample interpolate upsample upsample_bilinear upsample_nearest",
    "shuffle": "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle",
}
_ABSENT = {
    "scaled_grouped_mm": "products with scaled 8-bit numbers",
    "scaled_mm": "products with scaled 8-bit numbers",
}

_find, __dir__, __all__ = load(__name__, _FILES)


def __getattr__(name: str):
    if name in _ABSENT:
        raise AttributeError(f"module 'chainrule.nn.functional' has no {name}: chainrule has no {_ABSENT[name]}")
    if name in ("_canonical_mask", "_none_or_dtype"):
        return getattr(importlib.import_module(f"{__name__}.masks"), name)
    if name == "grad":
        return importlib.import_module("chainrule.nn.grad")
    return _find(name)
