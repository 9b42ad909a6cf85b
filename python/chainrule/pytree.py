"""Nested containers of values: taken apart into a list of leaves, and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

from ._core import Size

__all__ = [
    "SUPPORTED_NODES",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "TreeSpec",
    "register_pytree_node",
    "tree_all",
    "tree_any",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_structure",
    "tree_unflatten",
]

PyTree = Any


class TreeSpec(NamedTuple):
    """The shape of a tree: what container it is, how to make it, and its branches. A leaf has no kind."""

    kind: Any
    context: Any
    children: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        return 1 if self.kind is None else sum(child.num_leaves for child in self.children)

    @property
    def num_nodes(self) -> int:
        """Containers and leaves."""
        return 1 + sum(child.num_nodes for child in self.children)

    @property
    def num_children(self) -> int:
        return len(self.children)

    @property
    def type(self) -> Any:
        """What container it is, None for a leaf."""
        return self.kind

    @property
    def children_specs(self) -> list[TreeSpec]:
        return list(self.children)

    def is_leaf(self) -> bool:
        return self.kind is None

    def unflatten(self, leaves: Any) -> Any:
        """The tree with these leaves."""
        return tree_unflatten(leaves, self)

    def __repr__(self, indent: int = 0) -> str:
        """As PyTorch writes it: the first branch behind the container, each further one on a line."""
        if self.kind is None:
            return "*"
        indent += 2
        branches = f",\n{' ' * indent}".join(child.__repr__(indent) for child in self.children)
        return f"TreeSpec({self.kind.__name__}, {self.context}, [{branches}])"


_LEAF = TreeSpec(None, None, ())


def LeafSpec() -> TreeSpec:  # noqa: N802  (PyTorch's name)
    """The shape of a leaf."""
    return _LEAF


class NodeDef(NamedTuple):
    """A kind of container: flatten_fn gives its values and what else it is, unflatten_fn makes it again."""

    type: Any
    flatten_fn: Callable[[Any], tuple[Any, Any]]
    unflatten_fn: Callable[[Any, Any], Any]


class MappingKey(NamedTuple):
    """The way to a value in a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The value."""
        return mapping[self.key]


def _dict_flatten(d: dict) -> tuple[list, list]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Any, context: Any) -> dict:
    return dict(zip(context, values, strict=True))


def _dict_flatten_with_keys(d: dict) -> tuple[list, list]:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


class _ResultTuple:
    """Stands for what max and its kin return: tuples with named fields that are made from a sequence."""


# By PyTorch's names of kinds: all tuples with named fields are one.
SUPPORTED_NODES: dict[Any, NodeDef] = {
    node.type: node
    for node in (
        NodeDef(dict, _dict_flatten, _dict_unflatten),
        NodeDef(OrderedDict, _dict_flatten, lambda v, keys: OrderedDict(zip(keys, v, strict=True))),
        NodeDef(
            defaultdict,
            lambda d: (list(d.values()), (d.default_factory, list(d))),
            lambda v, made: defaultdict(made[0], zip(made[1], v, strict=True)),
        ),
        NodeDef(list, lambda x: (list(x), None), lambda v, _: list(v)),
        NodeDef(tuple, lambda x: (list(x), None), lambda v, _: tuple(v)),
        NodeDef(Size, lambda x: (list(x), None), lambda v, _: tuple(v)),
        NodeDef(deque, lambda x: (list(x), x.maxlen), lambda v, most: deque(v, maxlen=most)),
        NodeDef(namedtuple, lambda x: (list(x), type(x)), lambda v, kind: kind(*v)),
        NodeDef(_ResultTuple, lambda x: (list(x), type(x)), lambda v, kind: kind(v)),
    )
}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable | None = None,
    from_dumpable_context: Callable | None = None,
    flatten_with_keys_fn: Callable | None = None,
) -> None:
    """Makes a class a container: `flatten_fn` gives its values and a context, `unflatten_fn` makes it of both.

    Args:
        flatten_with_keys_fn: gives its values with the keys that lead to them, and the context.
        serialized_type_name, to_dumpable_context, from_dumpable_context: how shapes of trees are written into files,
            which chainrule does not do.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn)
    if flatten_with_keys_fn is not None:
        KEY_FUNCTIONS[cls] = flatten_with_keys_fn


KEY_FUNCTIONS: dict[Any, Callable] = {}  # of registered containers that say by which keys their values are reached


def _get_node_type(tree: Any) -> Any:
    kind = type(tree)
    if kind not in SUPPORTED_NODES and issubclass(kind, tuple):
        if hasattr(kind, "_fields"):
            return namedtuple
        if hasattr(kind, "n_sequence_fields"):
            return _ResultTuple
    return kind


def _branches(tree: Any) -> tuple[list, Any] | None:
    """The values inside a container and what else is needed to make it again; None for a leaf."""
    node = SUPPORTED_NODES.get(_get_node_type(tree))
    if node is None:
        return None
    values, context = node.flatten_fn(tree)
    return list(values), context


def _is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """The leaves of a tree from left to right, and its shape."""
    leaves: list = []
    return leaves, _flatten_into(leaves, tree, is_leaf)


def _flatten_into(leaves: list, tree: Any, is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    kind = _get_node_type(tree)
    if (is_leaf is not None and is_leaf(tree)) or kind not in SUPPORTED_NODES:
        leaves.append(tree)
        return _LEAF
    values, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, tuple([_flatten_into(leaves, value, is_leaf) for value in values]))


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
        if spec.kind is None:
            return next(rest)
        return SUPPORTED_NODES[spec.kind].unflatten_fn([build(child) for child in spec.children], spec.context)

    return build(treespec)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves of a tree from left to right."""
    if (is_leaf is not None and is_leaf(tree)) or (kind := _get_node_type(tree)) not in SUPPORTED_NODES:
        return [tree]
    return [leaf for value in SUPPORTED_NODES[kind].flatten_fn(tree)[0] for leaf in tree_leaves(value, is_leaf)]


def tree_structure(tree: Any) -> TreeSpec:
    """The shape of a tree."""
    return tree_flatten(tree)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with func applied to each leaf, and to the leaves at the same place of the other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_at(spec, rest) for rest in rests]
    return tree_unflatten([func(*together) for together in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Calls func with each leaf, and gives the tree as it was."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with func applied to the leaves of a class, or to those for which the function `kind` is true."""
    wanted = kind if callable(kind) and not isinstance(kind, type) else lambda leaf: isinstance(leaf, kind)
    return tree_map(lambda leaf: func(leaf) if wanted(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether it is true of all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether it is true of any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def _leaves_at(spec: TreeSpec, tree: Any) -> list:
    if spec.kind is None:
        return [tree]
    found = _branches(tree)
    if found is None or _get_node_type(tree) is not spec.kind or len(found[0]) != len(spec.children):
        raise ValueError(f"Node type mismatch; expected {spec.kind}, but got {type(tree)}.")
    return [leaf for child, branch in zip(spec.children, found[0], strict=True) for leaf in _leaves_at(child, branch)]


def broadcast_prefix(prefix: Any, spec: TreeSpec) -> list | None:
    """A tree that may stop early, repeated over the leaves below; None if it does not fit."""
    if spec.kind is None or not isinstance(prefix, (dict, list, tuple)):
        return [prefix] * spec.num_leaves if not isinstance(prefix, (dict, list, tuple)) else None
    found = _branches(prefix)
    if found is None or _get_node_type(prefix) is not spec.kind or len(found[0]) != len(spec.children):
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
