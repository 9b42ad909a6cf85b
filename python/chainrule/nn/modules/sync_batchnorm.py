"""Batch normalisation over the batches of several processes: one exchange forward, one backward."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.function import Function
from ...distributed.collectives import all_reduce
from ...distributed.exchanges import all_gather_single
from ...distributed.process_group import ProcessGroup

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
    mean, variance, count = _statistics(input, group)
    if count <= 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    for running, new in ((running_mean, mean), (running_var, variance * (count / (count - 1)))):
        if running is not None:
            running.lerp_(new.to(running.dtype), factor)
    scale = (variance + eps).rsqrt()
    return _Normalize.apply(input, weight, bias, mean, scale, count, group)


def _statistics(input: Tensor, group: ProcessGroup) -> tuple[Tensor, Tensor, int]:
    """Mean, variance and number of values per channel, of all processes. From means, since sums would cancel."""
    values = input.detach()
    channels = values.shape[1]
    count = values.numel() // channels
    own = _functions["zeros"](2 * channels + 1, dtype=_accumulation_dtype(values))
    if count:
        dims = _all_but_channels(values)
        own[:channels] = values.mean(dims)
        own[channels : 2 * channels] = values.var(dims, correction=0)
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


def _accumulation_dtype(values: Tensor) -> Any:
    return values.dtype if values.dtype is _core.float64 else _core.float32


def _all_but_channels(values: Tensor) -> list[int]:
    return [dim for dim in range(values.dim()) if dim != 1]


class _Normalize(Function):
    """(x - mean) * scale * weight + bias, where mean and scale depend on the x of all processes."""

    @staticmethod
    def forward(
        ctx: Any,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        mean: Tensor,
        scale: Tensor,
        count: int,
        group: ProcessGroup,
    ) -> Tensor:
        """The normalised input."""
        shape = [1, -1] + [1] * (input.dim() - 2)
        normal = (input - mean.view(shape)) * scale.view(shape)
        ctx.save_for_backward(normal, weight, scale)
        ctx.count, ctx.group, ctx.shape = count, group, shape
        result = normal if weight is None else normal * weight.view(shape)
        return (result if bias is None else result + bias.view(shape)).to(input.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """The gradients: those of weight and bias are this process's own, the input's takes the sums of all."""
        normal, weight, scale = ctx.saved_tensors
        dims = _all_but_channels(grad)
        sums = _functions["stack"]([grad.sum(dims), (grad * normal).sum(dims)]).to(scale.dtype)
        of_bias, of_weight = sums.clone().unbind()
        of_input = None
        if ctx.needs_input_grad[0]:
            all_reduce(sums, group=ctx.group)
            means = (sums / ctx.count).unbind()
            slope = scale if weight is None else scale * weight
            inner = grad - means[0].view(ctx.shape) - normal * means[1].view(ctx.shape)
            of_input = (inner * slope.view(ctx.shape)).to(grad.dtype)
        wants_weight, wants_bias = ctx.needs_input_grad[1:3]
        return of_input, of_weight if wants_weight else None, of_bias if wants_bias else None, None, None, None, None
