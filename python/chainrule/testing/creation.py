"""make_tensor: random values of any dtype."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core, empty, randint, view_as_real
from .._core import Tensor, dtype
from ..ops.checks import is_integral
from ..type_info import finfo, iinfo
from ..user_warning import warn_user


def _limits(kind: dtype) -> tuple[float, float]:
    """The least value and the bound above all values; the largest int64 cannot be drawn."""
    if kind == _core.bool:
        return 0, 2
    if is_integral(kind):
        return iinfo(kind).min, iinfo(kind).max + (kind != _core.int64)
    return finfo(kind).min, finfo(kind).max


def _interval(low: float | None, high: float | None, kind: dtype) -> tuple[float, float]:
    """What was asked for, within what the dtype holds."""
    least, bound = _limits(kind)
    whole = is_integral(kind)
    low = (0 if kind == _core.bool else -9) if low is None else low
    high = (2 if kind == _core.bool else 10 if whole else 9) if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and not whole:
        warn_user(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= bound:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {kind} only supports "
            f"[{least}, {bound})"
        )
    low, high = min(max(low, least), bound), min(max(high, least), bound)
    return (math.ceil(low), math.ceil(high)) if whole else (low, high)


def _drawn(shape: tuple[int, ...], kind: dtype, low: float, high: float, device: Any) -> Tensor:
    if is_integral(kind):
        return randint(int(low), int(high), shape, dtype=kind, device=device)
    result = empty(shape, dtype=kind, device=device)
    parts = view_as_real(result) if kind.is_complex else result
    if high - low >= finfo(parts.dtype).max:  # more than uniform_ spans
        parts.uniform_(low / 2, high / 2).mul_(2)
    else:
        parts.uniform_(low, high)
    return result


def make_tensor(
    *shape: int | Sequence[int],
    dtype: dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of values drawn uniformly from low up to, not including, high.

    Args:
        shape: the sizes, one by one or as a sequence.
        dtype: the dtype.
        device: the device, "cpu".
        low: -9, or 0 for bool, unless given; at least the least number of the dtype.
        high: 9, or 10 for integers and 2 for bool, unless given.
        requires_grad: whether a gradient is wanted.
        noncontiguous: whether the elements lie apart in memory; takes more than one element.
        exclude_zero: replaces zeros by 1, or by the smallest normal number of a floating point dtype.
        memory_format: the memory format; not together with `noncontiguous`.

    >>> torch.testing.make_tensor((2, 3), dtype=torch.float32, device="cpu", low=0, high=1).shape
    torch.Size([2, 3])
    """
    first = shape[0] if len(shape) == 1 else None
    sizes: tuple = tuple(first) if isinstance(first, Sequence) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    if requires_grad and is_integral(dtype):
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    apart = noncontiguous and math.prod(sizes) > 1
    if apart:
        sizes = (*sizes[:-1], 2 * sizes[-1])
    result = _drawn(sizes, dtype, *_interval(low, high, dtype), device)
    if apart:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if is_integral(dtype) else finfo(dtype).tiny
    return result if is_integral(dtype) else result.requires_grad_(requires_grad)
