"""Which module a step belongs to: it follows from parameters, functions and the order of calls."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Node

__all__ = ["assign_modules"]


def assign_modules(nodes: Sequence[Node], modules: dict[str, Any]) -> None:
    """Gives every node that belongs to a module the module's path."""
    if not modules:
        return
    for node in nodes:
        owner = (node.variable or "").rpartition(".")[0] if node.is_leaf else ""
        if owner in modules:
            node.module = owner
    operations = [n for n in nodes if not n.is_leaf]
    for node in operations:
        node.module = _of_parameters(node)
    anchors = [n.module for n in operations]
    before, after = _latest(anchors), list(reversed(_latest(anchors[::-1])))
    functions = {path: _forward_of(module) for path, module in modules.items()}
    for node, last, following in zip(operations, before, after, strict=True):
        if node.module is None:
            node.module = _enclosing(node, last, following, functions)


def _of_parameters(node: Node) -> str | None:
    """That of a parameter among the inputs, also through views of it (a transposed weight)."""
    for edge in node.inputs:
        at = edge.producer
        while not at.is_leaf and len(at.inputs) == 1 and at.operation in ("t", "transpose", "view", "unsqueeze"):
            at = at.inputs[0].producer
        if at.is_leaf and at.module is not None:
            return at.module
    return None


def _latest(values: list[str | None]) -> list[str | None]:
    result, last = [], None
    for value in values:
        last = value or last
        result.append(last)
    return result


def _forward_of(module: Any) -> str:
    return getattr(inspect.unwrap(type(module).forward), "__qualname__", "")


def _ancestors(path: str | None) -> list[str]:
    parts = (path or "").split(".")
    return [".".join(parts[:i]) for i in range(len(parts), 0, -1)]


def _enclosing(node: Node, last: str | None, following: str | None, functions: dict[str, str]) -> str | None:
    """The module whose forward() ran the step; inside a container, the one that both neighbours are in."""
    function = node.line.function if node.line else ""
    function = function.removesuffix(".<locals>.<genexpr>").removesuffix(".<locals>.<listcomp>")
    shared = [path for path in _ancestors(last) if path in _ancestors(following)]
    inside = shared[0] if shared and last != following and shared[0] in functions and _same_call(node) else None
    for anchor in (last, following):
        for path in _ancestors(anchor):
            if functions.get(path) == function:
                return inside if inside and inside.startswith(f"{path}.") else path
    return inside


def _same_call(node: Node) -> bool:
    """Whether the step and the one before it came from one call on the user's line: net(x) of a Sequential."""
    producers = [e.producer for e in node.inputs if not e.producer.is_leaf]
    return any(p.line and node.line and p.line.position == node.line.position for p in producers)
