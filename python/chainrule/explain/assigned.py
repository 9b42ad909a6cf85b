"""Where things were given their names: the line that assigns a variable, or sets an attribute of a module."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from .blocks import defined
from .names import is_module, is_own_file, user_frames, variables
from .source import Line, around, first_line, tree_of, walked

__all__ = ["assignment", "attribute_of", "body_of", "made_at", "targets"]


def body_of(tree: ast.Module, code: Any) -> list[ast.stmt] | None:
    """The statements of a function."""
    return tree.body if code.co_name == "<module>" else _body_of(tree, code.co_name, code.co_firstlineno)


@lru_cache(maxsize=256)
def _body_of(tree: ast.Module, name: str, number: int) -> list[ast.stmt] | None:
    nodes = (n for s in around(tree.body, number) for n in walked(s))
    functions = (n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == name)
    return next((f.body for f in functions if first_line(f) == number), None)


def assignment(frame: FrameType, name: str) -> Line | None:
    """The last line above the running one that gives a variable its value."""
    tree = tree_of(frame.f_code.co_filename, frame.f_code, frame.f_lineno)
    lines = _assignments(tree, frame.f_code).get(name, ()) if tree else ()
    found = max((n for n in lines if n < frame.f_lineno), default=None)
    if found is None:
        return None
    file = frame.f_code.co_filename
    return Line(file, found, frame.f_code.co_qualname, linecache.getline(file, found).strip())


@lru_cache(maxsize=64)
def _assignments(tree: ast.Module, code: CodeType) -> dict[str, list[int]]:
    """By variable, the lines of a function that give it a value."""
    found: dict[str, list[int]] = {}
    for statement in body_of(tree, code) or []:
        for node in ast.walk(statement):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                for name in targets(target):
                    found.setdefault(name, []).append(target.lineno)
    return found


def attribute_of(module: Any, attribute: str) -> Line | None:
    """The line of a module's class that sets an attribute, if the class is the user's."""
    for cls in type(module).__mro__:
        code = getattr(vars(cls).get("__init__"), "__code__", None)
        if code is None or is_own_file(code.co_filename):
            continue
        line = attribute_line(code.co_filename, cls.__name__, attribute)
        if line is not None:
            return line
    return None


def made_at(name: str) -> Line | None:
    """The line that gave a variable its value, or a module the attribute that a parameter is in."""
    owner, _, rest = name.partition(".")
    base = owner.partition("[")[0]
    for frame in user_frames():
        scope = variables(frame)
        if base not in scope:
            continue
        if rest and is_module(scope[base]):
            return _constructed_at(scope[base], rest) or assignment(frame, base)
        return assignment(frame, name) or assignment(frame, base)
    return None


def _constructed_at(module: Any, path: str) -> Line | None:
    """The user's line that made the part of a module at a path: the innermost class of his own that sets it."""
    found = None
    for part in path.split("."):
        name = part.partition("[")[0]
        found = attribute_of(module, name) or found
        module = module._modules.get(name)
        if module is None:
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


def targets(target: ast.expr) -> set[str]:
    """What an assignment gives a value, as it is written."""
    if isinstance(target, ast.Tuple | ast.List):
        return {name for item in target.elts for name in targets(item)}
    return targets(target.value) if isinstance(target, ast.Starred) else {ast.unparse(target)}
