"""The operations of networks inside vmap: samples become more images, more channels or more rows of one call."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .batch_composed import composed
from .batch_rules import Call, loop_quietly, rule
from .batched import wrap

_functions = _core.functions


def _any_batched(call: Call, values: Any) -> bool:
    return any(call.is_batched(v) for v in values if isinstance(v, Tensor))


def _folded(x: Tensor) -> Tensor:
    """Samples and images as one dimension."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def _side_by_side(x: Tensor) -> Tensor:
    """Samples and channels as one dimension, behind that of the images."""
    size, images, channels, *space = x.shape
    return x.movedim(0, 1).reshape(images, size * channels, *space)


def _apart(call: Call, result: Tensor) -> Tensor:
    """The samples in front again."""
    images, channels, *space = result.shape
    return result.reshape(images, call.size, channels // call.size, *space).movedim(1, 0)


def _unfolded(call: Call, result: Any, images: int) -> Any:
    if isinstance(result, (list, tuple)):
        return tuple(_unfolded(call, r, images) for r in result)
    return wrap(result.reshape(call.size, images, *result.shape[1:]), call.level)


def _space(name: str) -> int:
    """How many dimensions an image has, from the operation's name."""
    return next(int(letter) for letter in name if letter in "123")


# ---- one image at a time: samples are more images

_POOLS = [
    f"{kind}{d}d{ending}"
    for d in (1, 2, 3)
    for kind, ending in (
        ("avg_pool", ""),
        ("max_pool", ""),
        ("max_pool", "_with_indices"),
        ("adaptive_avg_pool", ""),
        ("adaptive_max_pool", "_with_indices"),
        ("upsample_nearest", ""),
        ("_upsample_nearest_exact", ""),
    )
]
_RESIZED = ["upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d"]


@rule(
    *_POOLS,
    "adaptive_max_pool1d",
    *_RESIZED,
    *(f"_upsample_{kind}2d_aa" for kind in ("bilinear", "bicubic", "lanczos")),
)
def _per_image(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    if input.ndim == _space(call.function.__name__) + 1:  # an image without a batch: the samples are the batch
        return call.wrapped(call.function(input._value, *args, **kwargs))
    return _unfolded(call, call.function(_folded(input._value), *args, **kwargs), input.shape[0])


@rule("im2col", "col2im")
def _columns(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    if input.ndim == (3 if call.function.__name__ == "im2col" else 2):
        return call.wrapped(call.function(input._value, *args, **kwargs))
    return _unfolded(call, call.function(_folded(input._value), *args, **kwargs), input.shape[0])


@rule("constant_pad_nd", "_repeated_pad", "pixel_shuffle", "pixel_unshuffle")
def _last_dimensions(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    return call.wrapped(call.function(input._value, *args, **kwargs))


# ---- convolutions


@rule(*(f"{name}{d}d" for name in ("conv", "conv_transpose") for d in (1, 2, 3)))
def _convolution(call: Call, input: Any, weight: Any, bias: Tensor | None = None, *args: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    at = 3  # behind stride, padding, and dilation or output_padding
    options = list(args)
    groups = options.pop(at) if len(options) > at else kwargs.pop("groups", 1)
    rest = {"dilation": options.pop()} if "transpose" in name and len(options) > at else {}
    single = input.ndim == _space(name) + 1
    x, w = call.value(input), call.value(weight)
    if single:
        x = x.unsqueeze(-input.ndim - 1)
    result = _convolved(
        call, x, w, call.is_batched(input), call.is_batched(weight), groups, options, {**kwargs, **rest}
    )
    if bias is not None:
        b = call.value(bias)
        shape = (b.shape[-1], *(1,) * _space(name))
        result = result + (b.reshape(call.size, 1, *shape) if call.is_batched(bias) else b.reshape(shape))
    return wrap(result.squeeze(1) if single else result, call.level)


def _convolved(
    call: Call, x: Tensor, w: Tensor, many_inputs: bool, many_weights: bool, groups: int, args: list, kwargs: dict
) -> Tensor:
    """The result with samples in front, then images, then channels."""

    def run(x: Tensor, w: Tensor, groups: int) -> Tensor:
        return call.function(x, w, None, *args, groups=groups, **kwargs)

    if not many_weights:
        if not many_inputs:  # only the bias differs between samples
            return run(x, w, groups).unsqueeze(0)
        result = run(_folded(x), w, groups)
        return result.reshape(call.size, x.shape[1], *result.shape[1:])
    if not many_inputs:
        x = x.unsqueeze(0).expand(call.size, *x.shape)
    # Each sample has filters of its own: samples become groups of channels.
    return _apart(call, run(_side_by_side(x), _folded(w), groups * call.size))


@rule("convolution")
def _any_convolution(
    call: Call,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    name = f"conv{'_transpose' if transposed else ''}{weight.ndim - 2}d"
    further = (output_padding, groups, dilation) if transposed else (dilation, groups)
    return _convolution(call._replace(function=_functions[name]), input, weight, bias, stride, padding, *further)


@composed("conv_tbc")
def _conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    result = _functions["conv1d"](input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad)
    return result.permute(2, 0, 1)


@rule("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def _grid_sampler(call: Call, input: Any, grid: Any, *args: Any, **kwargs: Any) -> Any:
    result = call.function(_folded(call.expanded(input)), _folded(call.expanded(grid)), *args, **kwargs)
    return _unfolded(call, result, input.shape[0])


@rule("affine_grid_generator")
def _affine_grid(call: Call, theta: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
    result = call.function(_folded(theta._value), (call.size * size[0], *size[1:]), *args, **kwargs)
    return _unfolded(call, result, size[0])


# ---- normalisation


def _scaled(call: Call, x: Tensor, weight: Any, bias: Any, shape: tuple) -> Any:
    """x * weight + bias, each of which may differ between samples; `shape` is theirs, with ones where they repeat."""

    def fitted(p: Tensor) -> Tensor:
        return call.value(p).reshape(call.size, *(1,) * (x.ndim - 1 - len(shape)), *shape)

    for p, combine in ((weight, "mul"), (bias, "add")):
        if p is not None:
            x = _functions[combine](x, fitted(p) if call.is_batched(p) else p.reshape(shape))
    return wrap(x, call.level)


@rule("layer_norm", "rms_norm")
def _layer_norm(call: Call, input: Any, shape: Any, weight: Any = None, *args: Any, **kwargs: Any) -> Any:
    bias = None
    if call.function.__name__ == "layer_norm":
        bias, args = (args[0], args[1:]) if args else (kwargs.pop("bias", None), args)
        kwargs.update(zip(("eps", "cudnn_enable"), args, strict=False))
    else:
        kwargs.update(zip(("eps",), args, strict=False))
    if not _any_batched(call, (weight, bias)):
        given = {"bias": bias} if call.function.__name__ == "layer_norm" else {}
        return wrap(call.function(input._value, shape, weight, **given, **kwargs), call.level)
    normal = call.function(call.expanded(input), shape, **kwargs)
    return _scaled(call, normal, weight, bias, tuple(shape))


@rule("group_norm")
def _group_norm(
    call: Call, input: Any, num_groups: int, weight: Any = None, bias: Any = None, *args: Any, **kwargs: Any
) -> Any:
    own = _any_batched(call, (weight, bias))
    given = (None, None) if own else (weight, bias)
    x = call.expanded(input)
    normal = call.function(_folded(x), num_groups, *given, *args, **kwargs).reshape(x.shape)
    if not own:
        return wrap(normal, call.level)
    return _scaled(call, normal, weight, bias, (input.shape[1], *(1,) * (input.ndim - 2)))


@rule("instance_norm")
def _instance_norm(
    call: Call, input: Any, weight: Any, bias: Any, mean: Any, var: Any, by_input: bool, *args: Any, **kwargs: Any
) -> Any:
    if mean is not None or not by_input:
        given = (input, weight, bias, mean, var, by_input, *args)
        return loop_quietly(call, call.function, given, kwargs)
    x = call.expanded(input)
    normal = call.function(_folded(x), None, None, None, None, True, *args, **kwargs).reshape(x.shape)
    return _scaled(call, normal, weight, bias, (input.shape[1], *(1,) * (input.ndim - 2)))


@rule("native_layer_norm")
def _native_layer_norm(call: Call, input: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    normal, mean, scale = call.function(call.expanded(input), shape, None, None, eps)
    return _scaled(call, normal, weight, bias, tuple(shape)), *call.wrapped((mean, scale))


@rule("native_group_norm")
def _native_group_norm(
    call: Call, input: Any, weight: Any, bias: Any, images: int, channels: int, points: int, groups: int, eps: float
) -> Any:
    x = call.expanded(input)
    normal, *rest = call.function(_folded(x), None, None, call.size * images, channels, points, groups, eps)
    shape = (channels, *(1,) * (input.ndim - 2))
    return _scaled(call, normal.reshape(x.shape), weight, bias, shape), *_unfolded(call, tuple(rest), images)


@rule("batch_norm")
def _batch_norm(
    call: Call, input: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, *args: Any, **kwargs: Any
) -> Any:
    if training and mean is not None and not call.is_batched(mean):
        raise at_call(
            RuntimeError,
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched. Use track_running_stats=False, or running statistics for each sample.",
        )
    x = call.expanded(input)
    running = [None if t is None else call.expanded(t).reshape(-1) for t in (mean, var)]
    normal = _apart(call, call.function(_side_by_side(x), None, None, *running, training, *args, **kwargs))
    return _scaled(call, normal, weight, bias, (input.shape[1], *(1,) * (input.ndim - 2)))


# ---- tables, attention, losses


@rule("embedding")
def _embedding(call: Call, weight: Any, indices: Any, padding_idx: int = -1, *args: Any, **kwargs: Any) -> Any:
    if not call.is_batched(weight):
        return wrap(call.function(weight, indices._value, padding_idx, *args, **kwargs), call.level)
    if padding_idx >= 0 or any(args) or any(kwargs.values()):
        return loop_quietly(call, call.function, (weight, indices, padding_idx, *args), kwargs)
    rows = call.expanded(indices)
    first = (
        _functions["arange"](call.size, device=rows.device).reshape(call.size, *(1,) * (rows.ndim - 1))
        * weight.shape[0]
    )
    return wrap(call.function(_folded(weight._value), rows + first), call.level)


@rule("scaled_dot_product_attention")
def _attention(
    call: Call,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    *args: Any,
    **kwargs: Any,
) -> Any:
    same_rank = query.ndim == key.ndim == value.ndim
    if dropout_p or not same_rank:
        return loop_quietly(call, call.function, (query, key, value, attn_mask, dropout_p, *args), kwargs)
    mask = call.value(attn_mask)
    if call.is_batched(attn_mask):
        mask = mask.reshape(call.size, *(1,) * (query.ndim - attn_mask.ndim), *attn_mask.shape)
    qkv = [call.expanded(t) for t in (query, key, value)]
    return wrap(call.function(*qkv, mask, dropout_p, *args, **kwargs), call.level)


_NONE, _MEAN = 0, 1  # PyTorch's numbers of reductions


@rule("cross_entropy_loss", "nll_loss_nd")
def _loss(
    call: Call,
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: int = _NONE,
    ignore_index: int = -100,
    *args: Any,
    **kwargs: Any,
) -> Any:
    if call.is_batched(weight):
        return loop_quietly(call, call.function, (input, target, weight, reduction, ignore_index, *args), kwargs)
    x, y = call.expanded(input), call.expanded(target)
    if input.ndim > 1:
        x, y = _folded(x), _folded(y)
    losses = call.function(x, y, weight, _NONE, ignore_index, *args, **kwargs)
    if reduction == _NONE:
        single = input.ndim == 1
        return wrap(losses if single else losses.reshape(call.size, input.shape[0], *losses.shape[1:]), call.level)
    total = losses.reshape(call.size, losses.numel() // call.size).sum(-1)
    return wrap(total / _weights(call, y, weight, ignore_index) if reduction == _MEAN else total, call.level)


@rule("mse_loss", "smooth_l1_loss", "huber_loss")
def _difference_loss(call: Call, input: Any, target: Any, reduction: int = _NONE, *args: Any, **kwargs: Any) -> Any:
    x, y = _aligned(call, input, target)
    return _reduced_samples(call, call.function(x, y, _NONE, *args, **kwargs), reduction)


@rule("binary_cross_entropy")
def _entropy(call: Call, input: Any, target: Any, weight: Any = None, reduction: int = _NONE) -> Any:
    return _reduced_samples(call, call.function(*_aligned(call, input, target, weight), _NONE), reduction)


@rule("binary_cross_entropy_with_logits")
def _entropy_of_logits(
    call: Call, input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = _NONE
) -> Any:
    return _reduced_samples(call, call.function(*_aligned(call, input, target, weight, pos_weight), _NONE), reduction)


def _aligned(call: Call, *tensors: Any) -> list:
    """Tensors that broadcast within a sample, with dimensions of size 1 between that of the samples and their own."""
    rank = max(t.ndim for t in tensors if t is not None)
    return [
        call.value(t).reshape(call.size, *(1,) * (rank - t.ndim), *t.shape) if call.is_batched(t) else t
        for t in tensors
    ]


def _reduced_samples(call: Call, losses: Tensor, reduction: int) -> Any:
    if reduction == _NONE:
        return wrap(losses, call.level)
    each = losses.reshape(call.size, losses.numel() // call.size)
    return wrap(each.mean(-1) if reduction == _MEAN else each.sum(-1), call.level)


def _weights(call: Call, target: Tensor, weight: Tensor | None, ignore_index: int) -> Any:
    """What a mean of losses is divided by: the weights of the classes that were not to be ignored."""
    if target.is_floating_point():  # probabilities, one for each class
        return target.numel() // call.size // target.shape[1]
    counted = target != ignore_index
    if weight is not None:
        counted = weight[_functions["where"](counted, target, 0)] * counted
    return counted.reshape(call.size, counted.numel() // call.size).sum(-1)
