"""A loop over slices that carries a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import functions
from ..pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten


def scan(combine_fn: Callable, init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> tuple[Any, Any]:
    """Calls `carry, y = combine_fn(carry, x)` with each slice x of `xs`; the last carry, and the stacked ys.

    Args:
        init: the first carry, a tensor or a tree of them.
        xs: a tensor, or a tree of tensors of the same length along `dim`.
        reverse: begins with the last slice; the ys stand in the order of the xs.
    """
    leaves, _ = tree_flatten(xs)
    if not leaves:
        return init, []
    length = leaves[0].shape[dim]
    if any(leaf.shape[dim] != length for leaf in leaves) or length == 0:
        raise RuntimeError("All xs leaves must have the same number of slices along dim, and at least one")
    carry, ys = init, []
    for i in reversed(range(length)) if reverse else range(length):
        carry, y = combine_fn(carry, tree_map(lambda x, i=i: x.select(dim, i), xs))
        ys.append(y)
    return carry, stacked(ys[::-1] if reverse else ys, dim)


def stacked(trees: list, dim: int = 0) -> Any:
    """A tree whose tensors are those of the given ones, stacked."""
    _, spec = tree_flatten(trees[0])
    return tree_unflatten(
        [functions["stack"](row).movedim(0, dim) for row in zip(*map(tree_leaves, trees), strict=True)], spec
    )
