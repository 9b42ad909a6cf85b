"""Loss functions that are composed of elementwise operations."""

from __future__ import annotations

import math

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...user_warning import warn_user
from .._reduction import chosen, get_enum, reduced

_functions = _core.functions
_where, _logsigmoid = _functions["where"], _functions["logsigmoid"]


# ---- distances between input and target


@in_float32
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The square of the difference.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: g * 2 * (input - target), divided by the number of elements for "mean"; target: minus that

    >>> torch.nn.functional.mse_loss(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(2.5000)
    """
    reduction = chosen(size_average, reduce, reduction)
    _warn_if_broadcast(input, target)
    if weight is None:
        return _functions["mse_loss"](input, target, get_enum(reduction))
    return _weighted((input - target).square(), input, weight, reduction)


@in_float32
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: g * sign(input - target), target: minus that

    >>> torch.nn.functional.l1_loss(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(1.5000)
    """
    reduction = chosen(size_average, reduce, reduction)
    _warn_if_broadcast(input, target)
    return _weighted((input - target).abs(), input, weight, reduction)


@in_float32
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The absolute difference less beta / 2, rounded off to half the square over beta where it is below beta.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: g * (input - target) / beta, held between -1 and 1; target: minus that

    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 3.]), torch.zeros(2))
    tensor(1.3125)
    """
    reduction = chosen(size_average, reduce, reduction)
    _warn_if_broadcast(input, target)
    return _functions["smooth_l1_loss"](input, target, get_enum(reduction), beta)


@in_float32
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the square of the difference, and a straight line from delta on.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: g * (input - target), held between -delta and delta; target: minus that

    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 3.]), torch.zeros(2))
    tensor(1.3125)
    """
    _warn_if_broadcast(input, target)
    if weight is None:
        return _functions["huber_loss"](input, target, get_enum(reduction), delta)
    loss = _functions["huber_loss"](input, target, get_enum("none"), delta)
    _check_weight(weight, input, reduction)
    return reduced(loss * weight, reduction)


def _warn_if_broadcast(input: Tensor, target: Tensor) -> None:
    if target.shape != input.shape:
        warn_user(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size."
        )


def _check_weight(weight: Tensor, input: Tensor, reduction: str) -> None:
    if weight.size() != input.size():
        raise at_call(ValueError, "Weights and input must have the same size.")
    if reduction not in ("none", "mean", "sum"):
        raise at_call(ValueError, f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def _weighted(loss: Tensor, input: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    if weight is None:
        return reduced(loss, reduction)
    _check_weight(weight, input, reduction)
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else reduced(loss, reduction)


# ---- probabilities


@in_float32
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The cross entropy of sigmoid(input) and a target between 0 and 1.

    Shape and dtype: Input and target of one shape; (), or that shape for reduction "none"; the dtype of the input.
    Derivative: input: g * (sigmoid(x) - target), divided by the number of elements for "mean"

    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0., 1.]), torch.tensor([0., 1.]))
    tensor(0.5032)
    """
    reduction = chosen(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise at_call(ValueError, f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _functions["binary_cross_entropy_with_logits"](input, target, weight, pos_weight, get_enum(reduction))


@in_float32
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target * (log(target) - input), with the input in logarithms.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: -g * target, target: g * (log(target) + 1 - input)

    >>> torch.nn.functional.kl_div(torch.tensor([0.5]).log(), torch.tensor([1.]), reduction="sum")
    tensor(0.6931)
    """
    if size_average is None and reduce is None and reduction == "mean":
        warn_user(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release."
        )
    by_batch = reduction == "batchmean"
    reduction = chosen(size_average, reduce, "sum" if by_batch else reduction)
    loss = target.exp() * (target - input) if log_target else _functions["xlogy"](target, target) - target * input
    loss = reduced(loss, reduction)
    return loss / input.shape[0] if by_batch and input.dim() != 0 else loss


@in_float32
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of counts; full: with Stirling's approximation of the factorial.

    Shape and dtype: The inputs are broadcast to one shape; (), or that shape for reduction "none"; their dtype.
    Derivative: input: g * (exp(x) - target), or g * (1 - target / (x + eps)) if not log_input

    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0., 1.]), torch.tensor([1., 2.]))
    tensor(0.8591)
    """
    reduction = chosen(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + _where(target <= 1, 0, stirling)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of normally distributed targets, with the variance given.

    Shape and dtype: Input, target and variance of one shape, or the variance with size 1 or none at the end; (), or
    that shape for reduction "none"; the dtype of the input.
    Derivative: input: g * (x - target) / var, var: g / 2 * (1 - (x - target) ** 2 / var) / var

    >>> torch.nn.functional.gaussian_nll_loss(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([2.]))
    tensor(1.3466)
    """
    variance = _variance_for(input, var)
    if reduction not in ("none", "mean", "sum"):
        raise at_call(ValueError, reduction + " is not valid")
    variance = variance.clone()
    with no_grad():
        variance.clamp_(min=eps)  # the gradient of the variance is that without the bound
    loss = 0.5 * (variance.log() + (input - target).square() / variance)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def _variance_for(input: Tensor, var: Tensor | float) -> Tensor:
    """The variance in a shape that can be broadcast to the input's."""
    if not isinstance(var, Tensor):
        if var < 0:
            raise at_call(ValueError, "var has negative entry/entries")
        return var * _functions["ones_like"](input)
    if (var < 0).any():
        raise at_call(ValueError, "var has negative entry/entries")
    if var.shape == input.shape:
        return var
    if input.shape[:-1] == var.shape:
        return var.unsqueeze(-1)
    if input.ndim != var.ndim or sum(b for a, b in zip(input.shape, var.shape, strict=True) if a != b) != 1:
        raise at_call(ValueError, "var is of incorrect size")
    return var


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The binary cross entropy with logits, averaged over the classes.

    Shape and dtype: Input and target (N, C); (), or (N,) for reduction "none"; the dtype of the input.
    Derivative: input: g * (sigmoid(x) - target) / C

    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.tensor([[0., 1.]]), torch.tensor([[0., 1.]]))
    tensor(0.5032)
    """
    if size_average is not None or reduce is not None:
        reduction = chosen(size_average, reduce, reduction)
    loss = -(target * _logsigmoid(input) + (1 - target) * _logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    if reduction not in ("none", "mean", "sum"):
        raise at_call(ValueError, reduction + " is not valid")
    return reduced(loss.sum(-1) / input.shape[-1], reduction)
