"""Sums, means and the like: over the ragged dimension to an ordinary tensor, over others to a nested one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from .conversions import wrapped_dim
from .jagged import NestedTensor, wrapped
from .kinds import packed
from .padding import identity_of, padded_to


def present(x: NestedTensor) -> Tensor:
    """The packed items without those between the rows, which belong to no row."""
    values, pattern = packed(x), x._rows
    if pattern.covers(values.shape[pattern.ragged - 1]):
        return values
    return values.index_select(pattern.ragged - 1, pattern.places[2])


def _reduced(function: Callable, x: NestedTensor, *args: Any, **options: Any) -> Any:
    name = function.__name__
    dim, keepdim, options = _arguments(name, args, options)
    if isinstance(dim, NestedTensor):  # max(input, other)
        from .elementwise import calculated

        return calculated(function, x, dim)
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        result = function(present(x), **options)
        return result.reshape((1,) * x.dim()) if keepdim else result
    dims = [wrapped_dim(x, d) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    if x._rows.ragged in dims:
        return _over_rows(function, x, dims, isinstance(dim, (tuple, list)), keepdim, options)
    if 0 in dims:
        raise at_call(
            RuntimeError,
            f"{name}(): reducing along the batch dimension but not the ragged dimension is not supported for nested "
            f"tensors: got dim={dim} of {tuple(x.shape)}",
        )
    inner = [d - 1 for d in dims]
    result = function(packed(x), inner if isinstance(dim, (tuple, list)) else inner[0], keepdim, **options)
    fewer = 0 if keepdim else sum(d < x._rows.ragged for d in dims)
    return _each(result, lambda part: wrapped(part, x._rows.with_ragged(x._rows.ragged - fewer)))


def _arguments(name: str, args: tuple, options: dict) -> tuple[Any, bool, dict]:
    options = dict(options)
    names = ("dim", "keepdim", "dtype")
    options.update(zip(names, args, strict=False))
    if "axis" in options:
        options["dim"] = options.pop("axis")
    dim, keepdim = options.pop("dim", None), bool(options.pop("keepdim", False))
    return dim, keepdim, {key: value for key, value in options.items() if value is not None}


def _each(result: Any, function: Callable) -> Any:
    return function(result) if isinstance(result, Tensor) else type(result)([function(part) for part in result])


def _over_rows(
    function: Callable, x: NestedTensor, dims: list[int], several: bool, keepdim: bool, options: dict
) -> Any:
    name, ragged = function.__name__, x._rows.ragged
    if x.lengths() is not None:
        raise at_call(
            RuntimeError,
            f"{name}(): reducing across the ragged dimension is not supported for non-contiguous nested tensors "
            "with holes; "
            "contiguous() gives one without them",
        )
    if 0 in dims:
        inner = sorted({ragged - 1 if d == 0 else d - 1 for d in dims})
        result = function(present(x), inner if several else inner[0], keepdim, **options)
        return _each(result, lambda part: part.unsqueeze(0)) if keepdim else result
    if len(dims) > 1:
        raise at_call(
            RuntimeError,
            f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors: got "
            f"dim={tuple(dims)} of {tuple(x.shape)}",
        )
    if name == "mean":
        return _mean_of_rows(x, keepdim, options)
    padded = padded_to(x, identity_of(name, x.dtype), max(x._rows.counts, default=0))
    return function(padded, [ragged] if several else ragged, keepdim, **options)


def _mean_of_rows(x: NestedTensor, keepdim: bool, options: dict) -> Tensor:
    ragged = x._rows.ragged
    total = x.sum(ragged, keepdim=True, **options)
    counts = x.offsets().diff().reshape(-1, *(1,) * (total.dim() - 1))
    mean = total / counts
    return mean if keepdim else mean.squeeze(ragged)


_NAMES = "sum mean prod any all max min amax amin argmax argmin"
RULES: dict[str, Callable[..., Any]] = dict.fromkeys(_NAMES.split(), _reduced)
