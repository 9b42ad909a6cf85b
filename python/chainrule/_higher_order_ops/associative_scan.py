"""Running results of an associative function, in about log(n) calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor, functions
from ..func import vmap
from ..pytree import tree_flatten, tree_leaves, tree_unflatten


def associative_scan(
    combine_fn: Callable, xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """The running results of `combine_fn(left, right)` along `dim`: with an addition, cumsum.

    Args:
        combine_fn: associative; it gets slices of `xs`, without `dim`.
        xs: a tensor, or a tree of tensors of one shape.
        reverse: begins with the last slice.
        combine_mode: "generic"; "pointwise" is for other devices.
    """
    leaves, spec = tree_flatten(xs)
    _check(combine_fn, leaves, dim, combine_mode)
    over_slices = vmap(combine_fn)

    def combine(left: list[Tensor], right: list[Tensor]) -> list[Tensor]:
        return tree_leaves(over_slices(tree_unflatten(left, spec), tree_unflatten(right, spec)))

    rows = [leaf.movedim(dim, 0) for leaf in leaves]
    scanned = _scanned(combine, [row.flip(0) for row in rows] if reverse else rows)
    ordered = [row.flip(0) for row in scanned] if reverse else scanned
    return tree_unflatten([row.movedim(0, dim) for row in ordered], spec)


def _check(combine_fn: Any, leaves: list, dim: Any, combine_mode: str) -> None:
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise ValueError(f"Dim must be an int, but got {type(dim)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if combine_mode == "pointwise":
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if any(not isinstance(leaf, Tensor) for leaf in leaves):
        raise ValueError("xs leaves must be a Tensor")
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")


def _scanned(combine: Callable, rows: list[Tensor]) -> list[Tensor]:
    """Neighbours are combined, half as many rows scanned: they are every second result, and lead to the others."""
    count = rows[0].shape[0]
    if count < 2:
        return rows
    odd = _scanned(combine, combine([row[:-1:2] for row in rows], [row[1::2] for row in rows]))
    first = [row[:1] for row in rows]
    if count == 2:
        even = first
    else:
        later = combine([row[: (count - 1) // 2] for row in odd], [row[2::2] for row in rows])
        even = [functions["cat"](pair) for pair in zip(first, later, strict=True)]
    return [_interleaved(a, b) for a, b in zip(even, odd, strict=True)]


def _interleaved(even: Tensor, odd: Tensor) -> Tensor:
    pairs = functions["stack"]([even[: odd.shape[0]], odd], 1).flatten(0, 1)
    return pairs if even.shape[0] == odd.shape[0] else functions["cat"]([pairs, even[-1:]])
