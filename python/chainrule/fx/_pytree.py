"""torch.fx._pytree: how a recorded program takes its inputs apart, in the shape that they had when it was recorded."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ..pytree import TreeSpec

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

SUPPORTED_NODES: dict[type, Callable[[Any, TreeSpec], list]] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[type, Callable[[Any, TreeSpec], bool] | None] = {}


def register_pytree_flatten_spec(
    cls: type,
    flatten_fn_spec: Callable[[Any, TreeSpec], list],
    flatten_fn_exact_match_spec: Callable[[Any, TreeSpec], bool] | None = None,
) -> None:
    """Says how an instance of a class is taken apart by a specification."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """The leaves of a tree that has the shape of the specification."""
    if spec.kind is None:
        return [pytree]
    if spec.kind not in SUPPORTED_NODES:
        raise RuntimeError(
            f"{type(pytree)} does not have a flatten_fn_spec associated with it. Please register one with "
            "torch.fx._pytree.register_pytree_flatten_spec."
        )
    children = SUPPORTED_NODES[spec.kind](pytree, spec)
    exact = SUPPORTED_NODES_EXACT_MATCH[spec.kind]
    if exact is not None and not exact(pytree, spec):
        raise RuntimeError(f"Cannot flatten pytree {pytree}, given spec: {spec}")
    pairs = zip(children, spec.children, strict=True)
    return [leaf for child, of in pairs for leaf in tree_flatten_spec(child, of)]


def _sequence(values: Any, spec: TreeSpec) -> list:
    return [values[i] for i in range(len(spec.children))]


def _same_length(values: Any, spec: TreeSpec) -> bool:
    return len(values) == len(spec.children)


register_pytree_flatten_spec(dict, lambda d, spec: [d[key] for key in spec.context], _same_length)
for _kind in (list, tuple, namedtuple):
    register_pytree_flatten_spec(_kind, _sequence, _same_length)  # type: ignore[arg-type]
