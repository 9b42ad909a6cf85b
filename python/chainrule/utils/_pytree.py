"""Nested containers of values, under the name by which other packages know them."""

from collections.abc import Callable, Iterator
from typing import Any

from ..pytree import *  # noqa: F403
from ..pytree import NodeDef as NodeDef
from ..pytree import _dict_flatten as _dict_flatten
from ..pytree import _dict_flatten_with_keys as _dict_flatten_with_keys
from ..pytree import _dict_unflatten as _dict_unflatten
from ..pytree import _get_node_type as _get_node_type
from ..pytree import _is_leaf as _is_leaf
from ..pytree import register_pytree_node as _register_pytree_node
from ..pytree import tree_flatten, tree_leaves, tree_map_only
from ..pytree_paths import *  # noqa: F403
from ..pytree_paths import SequenceKey

Context = PyTreeSpec = Any
_private_register_pytree_node = _register_pytree_node


def _list_flatten(d: list) -> tuple[list, None]:
    return d, None


def _list_flatten_with_keys(d: list) -> tuple[list, None]:
    return [(SequenceKey(i), value) for i, value in enumerate(d)], None


def _list_unflatten(values: Any, context: Any) -> list:
    return list(values)


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """The leaves of a tree, one after the other."""
    yield from tree_leaves(tree, is_leaf)


def tree_map_only_(kind: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Calls func with the leaves of a class, and gives the tree as it was."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def tree_all_only(kind: Any, pred: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether it is true of all leaves of a class."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, kind))


def tree_any_only(kind: Any, pred: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether it is true of any leaf of a class."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, kind))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list:
    """The leaves of a call's arguments."""
    return tree_flatten((args, kwargs))[0]


def is_namedtuple(obj: Any) -> bool:
    """Whether it is a tuple with named fields, or a class of such."""
    kind = obj if isinstance(obj, type) else type(obj)
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


is_namedtuple_class = is_namedtuple_instance = is_namedtuple
