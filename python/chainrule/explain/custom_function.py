"""A backward() or a hook of the user's returned what does not fit: the `return` that gave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from .._core import Tensor, tensor_at
from .history import Run, body_of
from .running import Place
from .source import tree_of, walked

__all__ = ["retell_hook", "retell_invalid_gradient"]


def retell_invalid_gradient(text: str, place: Place) -> str:
    """The core's text with the line of the `return`; if there are several, that of the function."""
    found = re.match(r"[Ff]unction (\w+?)Backward\d* returned", text)
    function = _only(cls.backward for cls in _classes(found[1] if found else None, place))
    index = re.search(r" at index (\d+)", text)
    if index:
        advice = f"return for input {index[1]} of forward() a gradient of that input's shape"
    else:
        advice = "return one gradient, a tensor or None, for each input of forward()"
    return _with_return(text, function, advice)


def retell_hook(text: str, place: Place) -> str:
    """The same of a hook."""
    found = re.match(r"hook '([\w<>]+)'", text)
    hooks = (h for h in _hooks(place) if isinstance(h, FunctionType) and found and h.__name__ == found[1])
    return _with_return(text, _only(hooks), "return a gradient of the shape and dtype that came in, or None")


def _with_return(text: str, function: Any, advice: str) -> str:
    line = _returning(function)
    if line is None:
        return text
    head, at, last = text.rpartition("\n  at ")
    words = f"  It was returned {line}\n  What to do: {advice}."
    return f"{head}\n{words}{at}{last}" if at else f"{text}\n{words}"


def _returning(function: Any) -> str | None:
    """Where a function's result is written."""
    code = getattr(function, "__code__", None)
    tree = tree_of(code.co_filename, code) if code else None
    if code is None or tree is None:
        return None
    run = Run(code.co_filename, [], None, code.co_qualname)
    returns = [n for s in body_of(tree, code) or () for n in walked(s) if isinstance(n, ast.Return)]
    if code.co_name == "<lambda>" or len(returns) == 1:
        return f"here: {run.line(returns[0].lineno if returns else code.co_firstlineno)}"
    return f"by: {run.line(code.co_firstlineno)}"


def _only(found: Iterable[Any]) -> Any:
    """The one that there is; None if there are several."""
    every = list({id(f): f for f in found}.values())
    return every[0] if len(every) == 1 else None


def _nodes(place: Place) -> Iterator[Any]:
    """All nodes and leaves below the loss, if a variable holds it."""
    loss, seen = place.value(place.receiver), set()
    stack = [loss.grad_fn] if isinstance(loss, Tensor) else []
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            stack += [] if isinstance(node, Tensor) else [target for target, _ in node._edges]


def _classes(name: str | None, place: Place) -> list[Any]:
    """The functions of the user's in the graph that have this name, or any; without a graph, all that there are."""
    nodes = [n for n in _nodes(place) if getattr(n, "_forward_cls", None) is not None]
    waiting = [n for n in nodes if not n._released]  # those that have run are not the one that raised
    known = [n._forward_cls for n in waiting or nodes]
    return [cls for cls in known or _made() if name in (None, cls.__name__)]


def _made() -> Iterator[Any]:
    from ..autograd import Function

    stack = Function.__subclasses__()
    while stack:
        kind = stack.pop()
        yield kind
        stack += kind.__subclasses__()


def _hooks(place: Place) -> Iterator[Any]:
    for node in _nodes(place):
        outputs = [node] if isinstance(node, Tensor) else [tensor_at(node, i) for i in range(len(node._outputs))]
        own = [] if isinstance(node, Tensor) else [node._hooks(), node._prehooks()]
        yield from (hook for hooks in [*own, *(t._hooks() for t in outputs)] for hook in hooks.values())
