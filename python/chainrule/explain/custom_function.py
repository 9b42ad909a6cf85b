"""A function with a backward() of its own returned a gradient that does not fit: the `return` that gave it."""

from __future__ import annotations

import ast
import re
from typing import Any

from .history import Run, body_of
from .source import tree_of, walked

__all__ = ["retell_invalid_gradient"]


def retell_invalid_gradient(text: str) -> str:
    """The core's text with the line of the `return`; if there are several, that of the function."""
    found = re.match(r"Function (\w+)Backward\d* returned an invalid gradient at index (\d+)", text)
    classes = _named(found[1]) if found else []
    code = getattr(getattr(classes[0], "backward", None), "__code__", None) if len(classes) == 1 else None
    tree = tree_of(code.co_filename, code) if code else None
    body = body_of(tree, code) if tree and code else None
    if code is None or body is None or found is None:
        return text
    run = Run(code.co_filename, body, None, code.co_qualname)
    returns = [n for s in body for n in walked(s) if isinstance(n, ast.Return)]
    line = run.line(returns[0].lineno if len(returns) == 1 else code.co_firstlineno)
    words = f"  It was returned here: {line}" if len(returns) == 1 else f"  It was returned by: {line}"
    advice = f"  What to do: return for input {found[2]} of forward() a gradient of that input's shape."
    head, at, last = text.rpartition("\n  at ")
    return f"{head}\n{words}\n{advice}{at}{last}" if at else f"{text}\n{words}\n{advice}"


def _named(name: str) -> list[Any]:
    """The functions of the user's that have this name."""
    from ..autograd import Function

    stack, found = [Function], []
    while stack:
        kind = stack.pop()
        found += [kind] if kind.__name__ == name else []
        stack += kind.__subclasses__()
    return found
