"""Batch normalisation over the batches of several processes: one exchange forward, one backward."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.function import Function
from ...distributed.collectives import all_reduce
from ...distributed.exchanges import all_gather_single
from ...distributed.process_group import ProcessGroup
from ...error_words import at_call

_functions = _core.functions


def normalize_together(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    factor: float,
    eps: float,
    group: ProcessGroup,
) -> Tensor:
    """The input normalised by mean and variance of all processes' inputs; running numbers are updated.

    Args:
        factor: the weight of this batch in the running numbers.
        group: the processes; their inputs may have different numbers of samples.
    """
    own_mean, centred = _centred(input.detach())
    mean, variance, count = _statistics(own_mean, centred, group)
    if count <= 1:
        raise at_call(
            ValueError, f"Expected more than 1 value per channel when training, got input size {input.size()}"
        )
    for running, new in ((running_mean, mean), (running_var, variance * (count / (count - 1)))):
        if running is not None:
            running.lerp_(new.to(running.dtype), factor)
    scale = (variance + eps).rsqrt()
    shift = ((own_mean - mean) * scale).to(centred.dtype)
    scale, shape = scale.to(centred.dtype), _channel_shape(input)
    normal = centred.mul_(scale.view(shape)).add_(shift.view(shape))
    return _Normalize.apply(input, weight, bias, normal, scale, count, group)


"""Numbers far from zero lose most of their digits to their mean. Each process therefore subtracts its own mean,
rounded, from its input, which is exact or nearly so, and finds what the rounding left in what remains. Means and
variances, few as they are, are put together in float64; only what they say about the difference of the means goes back.
"""


def _centred(values: Tensor) -> tuple[Tensor, Tensor]:
    """A process's own mean per channel, rounded, and its input without it: nn/modules/sync_batchnorm.py."""
    values = values if values.dtype is _core.float64 else values.float()
    channels = values.shape[1]
    mean = values.mean(_all_but_channels(values)) if values.numel() else values.new_zeros(channels)
    return mean.double(), values - mean.view(_channel_shape(values))


def _statistics(own_mean: Tensor, centred: Tensor, group: ProcessGroup) -> tuple[Tensor, Tensor, int]:
    """Mean and variance per channel and the number of values, of all processes. From means, since sums would cancel."""
    channels = len(own_mean)
    count = centred.numel() // channels
    own = _functions["zeros"](2 * channels + 1, dtype=_core.float64)
    if count:
        dims = _all_but_channels(centred)
        own[:channels] = own_mean + centred.mean(dims)
        own[channels : 2 * channels] = centred.var(dims, correction=0)
    own[-1] = count
    everyone = _functions["empty"](group.size(), len(own), dtype=own.dtype)
    all_gather_single(everyone, own, group)
    counts = everyone[:, -1:]
    total = int(counts.sum())
    shares = counts / max(total, 1)
    means = everyone[:, :channels]
    mean = (means * shares).sum(0)
    variance = ((everyone[:, channels:-1] + (means - mean) ** 2) * shares).sum(0)
    return mean, variance, total


def _channel_shape(values: Tensor) -> list[int]:
    """A shape that lets numbers per channel meet the input's elements."""
    return [1, -1] + [1] * (values.dim() - 2)


def _all_but_channels(values: Tensor) -> list[int]:
    return [dim for dim in range(values.dim()) if dim != 1]


class _Normalize(Function):
    """normal * weight + bias, where `normal` is the input normalised by the mean and scale of all processes' inputs."""

    @staticmethod
    def forward(
        ctx: Any,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        normal: Tensor,
        scale: Tensor,
        count: int,
        group: ProcessGroup,
    ) -> Tensor:
        """The normalised input, scaled and moved."""
        ctx.save_for_backward(normal, weight, scale)
        ctx.count, ctx.group, ctx.shape = count, group, _channel_shape(input)
        result = normal if weight is None else normal * weight.view(ctx.shape)
        return (result if bias is None else result + bias.view(ctx.shape)).to(input.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """The gradients: those of weight and bias are this process's own, the input's takes the sums of all."""
        normal, weight, scale = ctx.saved_tensors
        dims = _all_but_channels(grad)
        of_bias, of_weight = grad.sum(dims).to(scale.dtype), (grad * normal).sum(dims).to(scale.dtype)
        of_input = None
        if ctx.needs_input_grad[0]:
            sums = _functions["stack"]([of_bias, of_weight]).double()
            all_reduce(sums, group=ctx.group)
            means = (sums / ctx.count).to(scale.dtype).unbind()
            slope = scale if weight is None else scale * weight
            inner = grad - means[0].view(ctx.shape) - normal * means[1].view(ctx.shape)
            of_input = (inner * slope.view(ctx.shape)).to(grad.dtype)
        wants_weight, wants_bias = ctx.needs_input_grad[1:3]
        return of_input, of_weight if wants_weight else None, of_bias if wants_bias else None, None, None, None, None
