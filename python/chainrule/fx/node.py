"""torch.fx.Node: one step of a recorded program, and the values that can be its arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import conditions
from .immutable_collections import immutable_dict, immutable_list
from .names import qualified_name, type_text

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Target = Any
base_types = (str, int, float, bool, complex)  # and chainrule's own constants, which proxy.py adds
_legal_ops = dict.fromkeys(("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"))
# Steps that matter although nobody uses their result.
_side_effectful_functions: set[Callable] = {operator.setitem, conditions._assert, conditions._assert_async}


def has_side_effect(fn: Callable) -> Callable:
    """Says that calls of a function must stay although nobody uses their results; as a decorator."""
    _side_effectful_functions.add(fn)
    return fn


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """The argument with fn applied to each node in it.

    >>> torch.fx.node.map_arg([1, 2], lambda node: 0)
    [1, 2]
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The argument with fn applied to each value that is no container; containers become immutable ones."""
    if isinstance(a, tuple):
        parts = [map_aggregate(part, fn) for part in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list(map_aggregate(part, fn) for part in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


class Node:
    """A step: what is called (`op` and `target`), with which arguments, and who uses the result (`users`).

    Nodes are made by the methods of a Graph, and stand in it in the order in which they run.
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Any, args: tuple, kwargs: dict, return_type: Any = None
    ) -> None:
        if op not in _legal_ops:
            raise AssertionError(f"op must be one of {list(_legal_ops)}, got {op}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target).__name__} but a "
                    "Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target).__name__} but a str "
                "is expected"
            )
        self.graph, self.name, self.op = graph, name, op
        self.target: Any = target
        self.type: Any = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple = ()
        self._kwargs: dict = immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._take(args, kwargs)

    # ---- its place

    @property
    def next(self) -> Node:
        """The node that follows."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Moves the node x before this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._leave()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Moves the node x behind this one."""
        self._next.prepend(x)

    def _leave(self) -> None:
        before, behind = self._prev, self._next
        before._next, behind._prev = behind, before

    # ---- its arguments

    @property
    def args(self) -> tuple:
        """The arguments by position."""
        return self._args

    @args.setter
    def args(self, args: tuple) -> None:
        self._take(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Any]) -> None:
        self._take(self._args, kwargs)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def _take(self, args: tuple, kwargs: dict) -> None:
        for used in self._input_nodes:
            used.users.pop(self, None)
        self._input_nodes = {}

        def note(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(args, note), map_arg(kwargs, note)

    _update_args_kwargs = _take

    def update_arg(self, idx: int, arg: Any) -> None:
        """Puts another value in the place of one argument."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Puts one more argument before another."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Puts another value in the place of an argument by name."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Uses another node wherever this one used the old one."""
        self._take(*map_arg((self.args, self.kwargs), lambda n: new_input if n is old_input else n))

    _replace_input_with = replace_input_with

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Puts another node in the place of this one in all that use it, or in those of which the function says so."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # ---- what it is

    @property
    def stack_trace(self) -> str | None:
        """Where the user's program made it, if the tracer recorded that."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it must stay although nobody uses its result."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _side_effectful_functions:
                return True
            name = getattr(self.target, "__name__", "")
            return impure_random and name in _RANDOM
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        return False

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace.associate(self.name, self)

    # ---- printing

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        if isinstance(target, str):
            return target
        module, name = getattr(target, "__module__", None), getattr(target, "__name__", None)
        if module in ("builtins", "_operator") and name is not None:
            return f"{module.lstrip('_')}.{name}"
        return qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node as a line of the printed graph."""
        if include_tensor_metadata:
            raise NotImplementedError(
                "format_node: chainrule prints no tensor metadata; node.meta['tensor_meta'] has what ShapeProp found"
            )
        kind = f"{type_text(self.type)} " if self.type is not None else ""
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            if placeholder_names:
                placeholder_names.append(self.target)
                return None
            return f"{head}[target={self.target}]" + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return f"{head}[target={self.target}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_text(self.type)}"
            return f"return {self.args[0]}"
        called = f"{head}[target={self._pretty_print_target(self.target)}]"
        return f"{called}(args = {_text(self.args)}, kwargs = {_text(self.kwargs)})"


_RANDOM = frozenset(
    ("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "bernoulli", "multinomial")
) | {"normal", "poisson", "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout"}


def _text(arg: Any) -> str:
    """An argument as the printed graph shows it: nodes with a percent sign."""
    if isinstance(arg, Node):
        return f"%{arg}"
    if isinstance(arg, tuple):
        return f"({', '.join(map(_text, arg))}{',' * (len(arg) == 1)})"
    if isinstance(arg, list):
        return f"[{', '.join(map(_text, arg))}]"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_text(value)}" for key, value in arg.items()) + "}"
    return str(arg)
