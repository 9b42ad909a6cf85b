"""Where things were given their names: the line that assigns a variable, or sets an attribute of a module."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from typing import Any

from .blocks import defined
from .frames import is_own_file
from .history import Scope, targets
from .names import Names, is_module
from .source import Line, is_current

__all__ = ["assignment", "attribute_of", "made_at"]


def assignment(scope: Scope, name: str) -> Line | None:
    """The last line that gave a variable its value."""
    for run, assigned in zip(reversed(scope.runs), reversed(scope.assigned), strict=True):
        found = max((n for n in assigned.get(name, ()) if run.has_run(n)), default=None)
        if found is not None:
            return run.line(found)
    return None


def attribute_of(owner: Any, attribute: str) -> Line | None:
    """The line of an object's class that sets an attribute, if the class is the user's."""
    for cls in type(owner).__mro__:
        code = getattr(vars(cls).get("__init__"), "__code__", None)
        if code is None or is_own_file(code.co_filename) or not is_current(code):
            continue
        line = attribute_line(code.co_filename, cls.__name__, attribute)
        if line is not None:
            return line
    return None


def made_at(names: Names, thing: Any, name: str | None = None) -> Line | None:
    """The line that gave a tensor's variable its value, or a module the attribute that a parameter is in."""
    name, scope = name or names.of(thing), names.home(thing)
    if name is None or scope is None:
        return None
    owner, _, rest = name.partition(".")
    base = owner.partition("[")[0]
    held = scope.variables.get(base)
    if rest and base == owner:
        return _constructed_at(held, rest) or assignment(scope, base)
    return assignment(scope, name) or assignment(scope, base)


def _constructed_at(owner: Any, path: str) -> Line | None:
    """The user's line that made the part of an object at a path: the innermost class of his own that sets it."""
    found = None
    for part in path.split("."):
        name = part.partition("[")[0]
        found = attribute_of(owner, name) or found
        owner = owner._modules.get(name) if is_module(owner) else getattr(owner, "__dict__", {}).get(name)
        if owner is None:
            break
    return found


@lru_cache(maxsize=1024)
def attribute_line(file: str, cls: str, attribute: str) -> Line | None:
    """The line of a class that says `self.<attribute> = ...`, or registers it by that name."""
    for node in (n for c in defined(file, "class", cls) for n in ast.walk(c)):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Call) and _sets(node, attribute):
            return Line(file, node.lineno, f"{cls}.__init__", linecache.getline(file, node.lineno).strip())
    return None


def _sets(node: ast.Assign | ast.AnnAssign | ast.Call, attribute: str) -> bool:
    if isinstance(node, ast.Call):
        registers = ast.unparse(node.func) in ("self.register_buffer", "self.register_parameter", "self.add_module")
        return registers and bool(node.args) and ast.unparse(node.args[0]) == repr(attribute)
    given = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(f"self.{attribute}" in targets(t) for t in given)
