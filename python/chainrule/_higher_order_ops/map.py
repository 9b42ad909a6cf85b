"""A function of each slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..pytree import tree_leaves, tree_map
from .scan import stacked


def map(f: Callable, xs: Any, *args: Any) -> Any:
    """`f(x, *args)` of each slice of `xs` along its first dimension, stacked. `xs` may be a tree of tensors."""
    lengths = {leaf.shape[0] for leaf in tree_leaves(xs)}
    if len(lengths) != 1 or 0 in lengths:
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent and positive, but got {lengths}.")
    return stacked([f(tree_map(lambda x, i=i: x[i], xs), *args) for i in range(lengths.pop())])
