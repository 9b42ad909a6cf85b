"""Losses over classes."""

from __future__ import annotations

import math
from typing import Any

from ..._core import Tensor, int64
from ...amp.precision import in_float32, unsafe_on_gpu
from ...error_words import at_call
from ...user_warning import warn_user
from .._reduction import chosen, get_enum
from .chunked_cross_entropy import chunked_cross_entropy
from .core import core
from .linear_maps import linear


@in_float32
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the input at the target's class; the input has logarithms of probabilities.

    Shape and dtype: Input (N, C, *) or (C,), target (N, *) or (); (), or the shape of the target for reduction "none".
    Derivative: input: -weight * g at the target classes, zeros elsewhere

    >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([1, 0]))
    tensor(2.5000)
    """
    number = get_enum(chosen(size_average, reduce, reduction))
    _check_single(input, target)
    return core("nll_loss_nd")(input, target, weight, number, ignore_index)


@in_float32
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of softmax(input) and a target: classes, or their probabilities if it has the input's shape.

    Shape and dtype: Input (N, C, *) or (C,), target (N, *) of classes or the shape of the input; (), or (N, *) for
    reduction "none"; the dtype of the input.
    Derivative: input: g * weight * (softmax(x) - 1 at the target class), divided by the number of targets for "mean"

    >>> torch.nn.functional.cross_entropy(torch.tensor([[0., 0.], [1., 0.]]), torch.tensor([0, 0]))
    tensor(0.5032)
    """
    number = get_enum(chosen(size_average, reduce, reduction))
    if ignore_index >= 0 and target.is_floating_point():
        raise at_call(RuntimeError, "ignore_index is not supported for floating point target")
    if not target.is_floating_point():
        _check_single(input, target)
    return core("cross_entropy_loss")(input, target, weight, number, ignore_index, label_smoothing)


def _check_single(input: Tensor, target: Tensor) -> None:
    if input.dim() == 1 and target.dim() == 1 and len(target) != 1:
        raise at_call(ValueError, f"For 1D input, 1D target must have size 1, but got target size: {len(target)}")


@unsafe_on_gpu(
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
@in_float32
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of a probability and a target between 0 and 1.

    Shape and dtype: Input and target of one shape; (), or that shape for reduction "none"; the dtype of the input.
    Derivative: input: g * weight * (x - target) / (x * (1 - x)), divided by the number of elements for "mean"

    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5, 0.75]), torch.tensor([0., 1.]))
    tensor(0.4904)
    """
    reduction = chosen(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise at_call(
            ValueError,
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size.",
        )
    if not ((input >= 0) & (input <= 1)).all():
        raise at_call(RuntimeError, "all elements of input should be between 0 and 1")
    return core("binary_cross_entropy")(input, target, weight, get_enum(reduction))


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target). With `options` it goes by chunks of examples,
    which takes less memory; the gradients are then calculated at once, and are constants to a second derivative.

    Shape and dtype: Input (N, in), linear_weight (classes, in), target (N,); (), or (N,) for reduction "none".
    Derivative: that of cross_entropy, through that of linear

    >>> x, w = torch.tensor([[1., 2.]]), torch.zeros(3, 2)
    >>> torch.nn.functional.linear_cross_entropy(x, w, torch.tensor([1]))
    tensor(1.0986)
    """
    _check_linear(input, linear_weight, linear_bias)
    classes, *out_features, in_features = linear_weight.shape
    logits_shape = (*input.shape[:-1], classes, *out_features)
    if target.shape == logits_shape and ignore_index is not None:
        raise at_call(RuntimeError, "ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if reduction in ("mean", "sum", "none") and label_smoothing == 0 and target.dtype is int64 and not out_features:
            return chunked_cross_entropy(input, linear_weight, linear_bias, target, weight, ignored, reduction, options)
        warn_user(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            f"label_smoothing == 0, target.dtype == int64, out_features == (). Got {reduction=}, {label_smoothing=}, "
            f"target.dtype={target.dtype}, out_features={tuple(out_features)}."
        )
    if out_features:
        linear_weight = linear_weight.reshape(math.prod(out_features) * classes, in_features)
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight, linear_bias).reshape(logits_shape)
    return cross_entropy(
        logits, target, weight, reduction=reduction, ignore_index=ignored, label_smoothing=label_smoothing
    )


def _check_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if input.dim() not in (1, 2):
        raise at_call(RuntimeError, f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise at_call(RuntimeError, f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    if input.shape[-1] != weight.shape[-1]:
        raise at_call(
            RuntimeError,
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {input.shape[-1]} and {weight.shape[-1]}, respectively",
        )
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise at_call(RuntimeError, f"expected linear_bias shape {tuple(weight.shape[:-1])}, got {tuple(bias.shape)}")
    if weight.dim() > 2 and input.dim() == 1:
        raise at_call(
            RuntimeError,
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}",
        )
