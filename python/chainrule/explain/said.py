"""What the program said further up: which call switched something off, which one froze a layer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from .._core import Tensor
from .history import Scope
from .names import Names
from .reading import passes_of
from .source import Line, walked

__all__ = ["backward_calls", "called_above", "freezing", "thawed", "zeroes_below"]

Found = tuple[Scope, Line, ast.stmt, ast.expr | ast.stmt]


def _above(names: Names, wanted: Callable[[ast.AST], bool]) -> Iterator[Found]:
    """Such things in what has run, the newest first; in the innermost function before those around it."""
    for scope in names.scopes:
        for run, statement, node in scope.calls_above():
            if wanted(node):
                yield scope, run.line(node.lineno), statement, node


def backward_calls(names: Names, owner: Any) -> list[Line]:
    """The calls of backward() on what was calculated with a tensor or a model, since its gradients were zeroed."""
    name, scope = _name_of(names, owner), names.home(owner)
    return [] if name is None or scope is None else passes_of(scope, name, owner)


def _name_of(names: Names, owner: Any) -> str | None:
    return names.of(owner) if isinstance(owner, Tensor) else names.of_modules.get(id(owner))


def zeroes_below(names: Names) -> bool:
    """Whether zero_grad() stands below a line that is running: it is still to come, before backward()."""
    for run in (run for scope in names.scopes if scope.frame is not None for run in scope.runs[-1:]):
        for node in (n for s in run.body for n in walked(s)):
            is_call = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "zero_grad"
            )
            clears = isinstance(node, ast.Assign) and ast.unparse(node).endswith(".grad = None")
            if (is_call or clears) and not run.has_run(getattr(node, "lineno", 0)):
                return True
    return False


def _is_backward(n: ast.AST) -> bool:
    return isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "backward"


def called_above(names: Names, call: str) -> Line | None:
    """The last line that has such a call."""
    return next(
        (line for _, line, _, _ in _above(names, lambda n: isinstance(n, ast.Call) and ast.unparse(n) == call)), None
    )


def freezing(names: Names, name: str) -> Line | None:
    """The last line that says requires_grad = False, or requires_grad_(False), in a statement about a variable."""
    for _, line, statement, _ in _above(names, _freezes):
        if name in {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}:
            return line
    return None


def thawed(names: Names, name: str) -> Line | None:
    """The last line that makes a variable require a gradient after it was made: w.requires_grad_()."""
    return next((line for _, line, _, _ in _above(names, lambda n: _thaws(n, name))), None)


def _thaws(n: ast.AST, name: str) -> bool:
    if isinstance(n, ast.Assign):
        return ast.unparse(n.targets[0]) == f"{name}.requires_grad" and ast.unparse(n.value) == "True"
    if not isinstance(n, ast.Call):
        return False
    return ast.unparse(n) in (f"{name}.requires_grad_()", f"{name}.requires_grad_(True)")


def _freezes(n: ast.AST) -> bool:
    if isinstance(n, ast.Assign):
        return "requires_grad" in ast.unparse(n.targets[0]) and ast.unparse(n.value) == "False"
    if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Attribute):
        return False
    return n.func.attr == "requires_grad_" and [ast.unparse(a) for a in n.args] == ["False"]
