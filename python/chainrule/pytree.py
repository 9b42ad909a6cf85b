"""Nested containers of values: taken apart into a list of leaves, and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_structure", "tree_unflatten"]


class TreeSpec(NamedTuple):
    """The shape of a tree: what container it is, how to make it, and its branches. A leaf has no kind."""

    kind: type | None
    context: Any
    children: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        return 1 if self.kind is None else sum(child.num_leaves for child in self.children)

    def is_leaf(self) -> bool:
        return self.kind is None


_LEAF = TreeSpec(None, None, ())


def _is_named_tuple(tree: Any) -> bool:
    return isinstance(tree, tuple) and hasattr(tree, "_fields")


def _is_result_tuple(tree: Any) -> bool:
    """What max and its kin return: a tuple with named fields that is made from a sequence."""
    return isinstance(tree, tuple) and hasattr(type(tree), "n_sequence_fields")


def _branches(tree: Any) -> tuple[list, Any] | None:
    """The values inside a container and what else is needed to make it again; None for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return list(tree.values()), list(tree)
    if kind is defaultdict:
        return list(tree.values()), (tree.default_factory, list(tree))
    if kind in (list, tuple):
        return list(tree), None
    if kind is deque:
        return list(tree), tree.maxlen
    if _is_named_tuple(tree):
        return list(tree), None
    if _is_result_tuple(tree):
        return list(tree), "result"
    return None


def _build(spec: TreeSpec, values: list) -> Any:
    kind: Any = spec.kind
    if kind in (dict, OrderedDict):
        return kind(zip(spec.context, values, strict=True))
    if kind is defaultdict:
        factory, keys = spec.context
        return defaultdict(factory, zip(keys, values, strict=True))
    if kind is deque:
        return deque(values, maxlen=spec.context)
    if kind in (list, tuple) or spec.context == "result":
        return kind(values)
    return kind(*values)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """The leaves of a tree from left to right, and its shape."""
    found = None if is_leaf is not None and is_leaf(tree) else _branches(tree)
    if found is None:
        return [tree], _LEAF
    leaves: list = []
    children = []
    for branch in found[0]:
        inner, spec = tree_flatten(branch, is_leaf)
        leaves.extend(inner)
        children.append(spec)
    return leaves, TreeSpec(type(tree), found[1], tuple(children))


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of that shape with these leaves."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
            f"holds {treespec.num_leaves} items."
        )
    rest = iter(leaves)

    def build(spec: TreeSpec) -> Any:
        return next(rest) if spec.kind is None else _build(spec, [build(child) for child in spec.children])

    return build(treespec)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves of a tree from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any) -> TreeSpec:
    """The shape of a tree."""
    return tree_flatten(tree)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with func applied to each leaf, and to the leaves at the same place of the other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_at(spec, rest) for rest in rests]
    return tree_unflatten([func(*together) for together in zip(leaves, *others, strict=True)], spec)


def _leaves_at(spec: TreeSpec, tree: Any) -> list:
    if spec.kind is None:
        return [tree]
    found = _branches(tree)
    if found is None or type(tree) is not spec.kind or len(found[0]) != len(spec.children):
        raise ValueError(f"Node type mismatch; expected {spec.kind}, but got {type(tree)}.")
    return [leaf for child, branch in zip(spec.children, found[0], strict=True) for leaf in _leaves_at(child, branch)]


def broadcast_prefix(prefix: Any, spec: TreeSpec) -> list | None:
    """A tree that may stop early, repeated over the leaves below; None if it does not fit."""
    if spec.kind is None or not isinstance(prefix, (dict, list, tuple)):
        return [prefix] * spec.num_leaves if not isinstance(prefix, (dict, list, tuple)) else None
    found = _branches(prefix)
    same = found is not None and (type(prefix) is spec.kind or {type(prefix), spec.kind} <= {list, tuple})
    if found is None or not same or len(found[0]) != len(spec.children):
        return None
    if isinstance(prefix, dict) and found[1] != spec.context:
        return None
    leaves: list = []
    for branch, child in zip(found[0], spec.children, strict=True):
        inner = broadcast_prefix(branch, child)
        if inner is None:
            return None
        leaves.extend(inner)
    return leaves
