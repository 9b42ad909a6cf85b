"""Masks of torch.masked: what they let through, and what takes the place of the rest."""

from __future__ import annotations

from math import inf
from typing import Any

from .. import bool as bool_dtype
from .. import full, iinfo, int64, where
from .._core import Tensor
from ..ops.checks import is_integral, wrap_dim

Dims = int | tuple[int, ...] | list[int] | None
DType = Any


def _input_mask(input: Tensor, *args: Any, mask: Tensor | None = None, **kwargs: Any) -> Tensor:
    """The mask as truth values of the input's shape; further arguments, those of the operation, change nothing."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input): "
            f"{mask.ndim} and {input.ndim}"
        )
    return mask.broadcast_to(input.shape).to(bool_dtype)


_REDUCTIONS = {"sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "norm", "var", "std", "logsumexp"}
_NORMALIZATIONS = {"softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"}


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Which elements of an operation's result come from elements that the mask lets through."""
    name = getattr(op, "__name__", type(op).__name__)
    if name in _NORMALIZATIONS:
        return _input_mask(input, *args, **kwargs)
    if name not in _REDUCTIONS:
        raise ValueError(f"_output_mask expected masked operation (got {name})")
    rest = args[1:] if name == "norm" else args  # without its order
    dim = rest[0] if rest else kwargs.get("dim")
    mask = _input_mask(input, **kwargs)
    return mask.any(all_dims(dim, input.ndim), bool(kwargs.get("keepdim", False))) if mask.ndim else mask


def fill_hidden(input: Tensor, mask: Tensor | None, value: complex) -> Tensor:
    return input if mask is None else where(_input_mask(input, mask=mask), input, full((), value, dtype=input.dtype))


def at_limit(name: str, input: Tensor, mask: Tensor | None, largest: bool) -> Tensor:
    """Filled with the largest or the smallest number of the input's dtype."""
    if mask is None:
        return input
    if input.dtype == bool_dtype:
        raise NotImplementedError(f"identity of {name} on {input.dtype} input")
    low, high = (-inf, inf) if input.dtype.is_floating_point else (iinfo(input.dtype).min, iinfo(input.dtype).max)
    return fill_hidden(input, mask, high if largest else low)


def all_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """All dimensions for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    for d in given:
        if given.count(d) > 1:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
    return tuple(sorted(wrap_dim(d, ndim) for d in given))


def wide_dtype(input: Tensor) -> DType:
    """Sums and products of small integers are int64."""
    return int64 if is_integral(input.dtype) else input.dtype
