"""Walking along the edges that the core has recorded."""

from __future__ import annotations

from .._core import Tensor

__all__ = ["reaches"]


def reaches(result: Tensor, leaf: Tensor) -> bool:
    """Whether a leaf, or another result, is among the inputs of a result."""
    seen, stack = set(), [result.grad_fn]
    wanted = leaf.grad_fn or leaf if isinstance(leaf, Tensor) else leaf
    while stack:
        node = stack.pop()
        if node is wanted:
            return True
        if node is None or isinstance(node, Tensor) or id(node) in seen:
            continue
        seen.add(id(node))
        stack += [target for target, _ in node._edges]
    return False
