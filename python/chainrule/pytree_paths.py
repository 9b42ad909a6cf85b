"""Leaves of trees with the way to each: which key, index or attribute leads there."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .pytree import KEY_FUNCTIONS, MappingKey, _branches, _get_node_type, tree_flatten, tree_unflatten

__all__ = [
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "SequenceKey",
    "key_get",
    "keystr",
    "tree_flatten_with_path",
    "tree_leaves_with_path",
    "tree_map_with_path",
]


class SequenceKey(NamedTuple):
    """The way to an element of a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The element."""
        return sequence[self.idx]


class GetAttrKey(NamedTuple):
    """The way to an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The attribute."""
        return getattr(obj, self.name)


KeyEntry = Any
KeyPath = tuple[Any, ...]


def _keys(tree: Any, values: list) -> Iterable[Any]:
    kind = _get_node_type(tree)
    if kind in KEY_FUNCTIONS:
        return [key for key, _ in KEY_FUNCTIONS[kind](tree)[0]]
    if kind in (dict, OrderedDict, defaultdict):
        return [MappingKey(key) for key in tree]
    if kind is namedtuple:
        return [GetAttrKey(name) for name in type(tree)._fields]
    if issubclass(kind, (list, tuple, deque)) or hasattr(kind, "n_sequence_fields"):
        return [SequenceKey(i) for i in range(len(values))]
    raise ValueError(
        f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
        "register_pytree_node."
    )


def _with_paths(tree: Any, is_leaf: Callable[[Any], bool] | None, path: KeyPath) -> Iterable[tuple[KeyPath, Any]]:
    found = None if is_leaf is not None and is_leaf(tree) else _branches(tree)
    if found is None:
        yield path, tree
        return
    for key, value in zip(_keys(tree, found[0]), found[0], strict=True):
        yield from _with_paths(value, is_leaf, (*path, key))


def tree_flatten_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, Any]:
    """The leaves as pairs of way and value, and the shape of the tree."""
    return list(_with_paths(tree, is_leaf, ())), tree_flatten(tree, is_leaf)[1]


def tree_leaves_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves as pairs of way and value."""
    return list(_with_paths(tree, is_leaf, ()))


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with func applied to the way and the value of each leaf.

    >>> from torch.utils import _pytree as pytree
    >>> pytree.tree_map_with_path(lambda path, x: f"{pytree.keystr(path)}={x}", {"a": [1, 2]})
    {'a': ["['a'][0]=1", "['a'][1]=2"]}
    """
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*leaf, *more) for leaf, *more in zip(leaves, *others, strict=True)], spec)


def keystr(kp: KeyPath) -> str:
    """A way as Python would write it."""
    return "".join(str(key) for key in kp)


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What is at the end of a way."""
    for key in kp:
        obj = key.get(obj)
    return obj
