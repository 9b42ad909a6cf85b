"""Normalisation: to zero mean and unit variance, to unit length, by neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from .core import core
from .padding import pad

_functions = _core.functions


def normalize(
    input: Tensor, p: float = 2.0, dim: int | Sequence[int] = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """The input divided by its p-norm along `dim`.

    Shape and dtype: Those of the input.
    Derivative: (g - y * sum(g * y)) / |x|, for p = 2

    >>> torch.nn.functional.normalize(torch.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    length = input.norm(p, dim, keepdim=True).clamp_min(eps)
    return input / length if out is None else _functions["div"](input, length, out=out)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel normalised over the batch (training), or by the running mean and variance.

    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: weight / std * (g - mean(g) - x_hat * mean(g * x_hat)), weight: sum of g * x_hat, bias: sum of g

    >>> torch.nn.functional.batch_norm(torch.tensor([[1.], [3.]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training:
        _check_batch(list(input.shape))
        if eps <= 0.0:
            raise at_call(ValueError, f"batch_norm eps must be positive during training, but got {eps}")
        if input.shape[0] == 0:  # an empty batch has no mean to remember
            running_mean = running_var = None
    elif eps < 0.0:
        raise at_call(ValueError, f"batch_norm eps must be non-negative, but got {eps}")
    return core("batch_norm")(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each example normalised by itself (use_input_stats), or by the running mean and variance.

    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: weight / std * (g - mean(g) - x_hat * mean(g * x_hat)), weight: sum of g * x_hat, bias: sum of g

    >>> torch.nn.functional.instance_norm(torch.tensor([[[1., 3.]]]), eps=0.)
    tensor([[[-1.,  1.]]])
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise at_call(ValueError, f"Expected more than 1 spatial element when training, got input size {input.size()}")
    options = use_input_stats, momentum, eps, False
    if running_mean is None or running_var is None or _fits(running_mean, input):
        return core("instance_norm")(input, weight, bias, running_mean, running_var, *options)
    mean, variance = running_mean.to(input.dtype), running_var.to(input.dtype)
    result = core("instance_norm")(input, weight, bias, mean, variance, *options)
    if use_input_stats:
        with no_grad():
            running_mean.copy_(mean)
            running_var.copy_(variance)
    return result


def _fits(running: Tensor, input: Tensor) -> bool:
    """Whether the core updates these numbers by itself: of one dtype, or floats beside halves."""
    return running.dtype is input.dtype or (running.dtype is _core.float32 and input.dtype.itemsize == 2)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions, which have this shape, normalised together.

    Shape and dtype: Those of the input; weight and bias have the normalised shape.
    Derivative: input: (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)) / std, weight: sum of g * x_hat, bias: sum of g

    >>> torch.nn.functional.layer_norm(torch.tensor([1., 3.]), (2,), eps=0.)
    tensor([-1.,  1.])
    """
    return core("layer_norm")(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """The last dimensions divided by the root of the mean of their squares.

    Shape and dtype: Those of the input; the weight has the normalised shape.
    Derivative: input: (g*w - x_hat * mean(g*w*x_hat)) / rms, weight: sum of g * x_hat

    >>> torch.nn.functional.rms_norm(torch.tensor([3., 3.]), (2,), eps=0.)
    tensor([1., 1.])
    """
    return core("rms_norm")(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Groups of channels normalised together, each example for itself.

    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)) / std, weight: sum of g * x_hat, bias: sum of g

    >>> torch.nn.functional.group_norm(torch.tensor([[1., 3., 4., 8.]]), 2, eps=0.)
    tensor([[-1.,  1., -1.,  1.]])
    """
    if input.dim() < 2:
        raise at_call(RuntimeError, f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    _check_batch([input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]])
    return core("group_norm")(input, num_groups, weight, bias, eps)


def _check_batch(sizes: list[int]) -> None:
    if sizes[0] * math.prod(sizes[2:]) == 1:
        raise at_call(
            ValueError, f"Expected more than 1 value per channel when training, got input size {_core.Size(sizes)}"
        )


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The input divided by (k + alpha * the mean square of `size` neighbouring channels) ** beta.

    Shape and dtype: Those of the input, (N, C, *).
    Derivative: g / d ** beta less 2 * alpha * beta / size * x times the neighbours' sum of g * x / d ** (beta + 1),
    where d is what the power is taken of

    >>> torch.nn.functional.local_response_norm(torch.tensor([[[1.], [2.]]]), 2)
    tensor([[[1.0000],
             [1.9996]]])
    """
    if input.dim() < 3:
        raise at_call(
            ValueError,
            f"Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)",
        )
    if input.numel() == 0:
        return input
    squares = input.square()
    channels = input.shape[1]
    around = [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2]
    padded = pad(squares, around)
    total: Tensor = padded.narrow(1, 0, channels)
    for i in range(1, size):
        total = total + padded.narrow(1, i, channels)
    mean = total / size if total.is_floating_point() else total.div(size, rounding_mode="trunc")
    return input / (mean * alpha + k).pow(beta)
