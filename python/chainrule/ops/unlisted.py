"""Operations of PyTorch's that its documentation does not list, and that packages call all the same."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .checks import spoken

_functions = _core.functions


def _masked_softmax(self: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None) -> Tensor:
    """softmax of what the mask leaves; where it leaves nothing, zeros."""
    if mask.dtype != _core.bool:
        raise RuntimeError("Mask should be a boolean tensor")
    dim = self.dim() - 1 if dim is None else dim
    mask = _mask_of_heads(self, mask, mask_type)
    weights = self.masked_fill(mask, -float("inf")).softmax(dim)
    return weights.masked_fill(mask.all(dim, keepdim=True).expand_as(self), 0.0)


def _mask_of_heads(x: Tensor, mask: Tensor, mask_type: int | None) -> Tensor:
    """The mask in the shape of x. One of that shape is taken as it is, whatever its type says."""
    if mask.shape == x.shape:
        return mask
    if x.dim() != 4 or mask.dim() != 2 or mask_type == 2:
        raise RuntimeError("For mask_type == 2 mask shape should match input shape")
    if mask_type is None:
        raise RuntimeError("Mask Type should be defined")
    samples, length = x.shape[0], x.shape[3]
    if mask_type == 0:  # one mask for all heads
        if mask.shape != (length, length):
            raise RuntimeError("For mask_type == 0 mask shape should be (L, L)")
        return mask.expand_as(x)
    if mask.shape != (samples, length):  # one for each sample
        raise RuntimeError("For mask_type == 1 mask shape should be (B, L)")
    return mask[:, None, None, :].expand_as(x)


def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> tuple[Tensor, Tensor]:
    """Mean and variance of each channel; the running ones are moved towards them.

    Shape and dtype: Two of one element for each channel, with the dtype of the running ones, else of the input.
    Derivative: none, the statistics have no history

    >>> torch.batch_norm_update_stats(torch.arange(6.).reshape(3, 2), None, None, 0.1)
    (tensor([2., 3.]), tensor([2.6667, 2.6667]))
    """
    channels = input.size(1)
    dtype = _dtype_of_statistics(input.dtype, [t.dtype for t in (running_mean, running_var) if t is not None])
    if not input.numel():
        sizes = list(input.shape)
        raise at_call(RuntimeError, f"input tensor must have at least one element, but got input_sizes = {sizes}")
    over = [d for d in range(input.dim()) if d != 1]
    values = input.detach().to(dtype)
    mean = values.mean(over)
    variance = values.var(over, correction=0)
    count = values.numel() // channels
    if running_mean is not None:
        running_mean.lerp_(mean, momentum)
    if running_var is not None:
        running_var.lerp_(variance * (count / max(count - 1, 1)), momentum)
    return mean, variance


def _dtype_of_statistics(dtype: _core.dtype, running: list[_core.dtype]) -> _core.dtype:
    """That of the running ones, which may be float32 beside a shorter input."""
    if not dtype.is_floating_point:
        raise at_call(NotImplementedError, f"\"batch_norm_update_stats_cpu\" not implemented for '{spoken(dtype)}'")
    if not running or all(kind == dtype for kind in running):
        return dtype
    if any(kind != _core.float32 for kind in running):
        raise at_call(RuntimeError, "mixed dtype (CPU): expect parameter to have scalar type of Float")
    if dtype.itemsize > 2:
        raise at_call(RuntimeError, "mixed dtype (CPU): all inputs must share same datatype.")
    return _core.float32


def _shape_as_tensor(self: Tensor) -> Tensor:
    """The sizes as a tensor."""
    return _functions["tensor"](list(self.shape), dtype=_core.int64)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: _core.dtype) -> Tensor:
    """The gradient of softmax, from its result."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


def _cast_Long(self: Tensor, non_blocking: bool = False) -> Tensor:  # noqa: N802
    """The tensor as int64."""
    return self.long()


def _segment_reduce(data: Tensor, reduce: str, **options: Any) -> Tensor:
    """segment_reduce."""
    return _functions["segment_reduce"](data, reduce, **options)
