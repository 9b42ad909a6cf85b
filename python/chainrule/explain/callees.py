"""The user's own functions, as they are called: which one a call means, and what its parameters get."""

from __future__ import annotations

import ast
import inspect
import os
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType, MethodType, ModuleType
from typing import Any

from .blocks import defined
from .departures import NOTHING, Taint
from .frames import is_own_file
from .history import Run, function_of
from .names import is_module
from .source import tree_of

__all__ = ["Callee", "called", "lookup", "written_in"]

_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@dataclass
class Callee:
    """A function of the user's that is called."""

    run: Run
    arguments: ast.arguments
    globals: dict[str, Any]
    decorators: list[ast.expr] = field(default_factory=list)
    owner: Any = None  # of a method, the object whose it is
    closed: set[str] = field(default_factory=set)  # variables of the function around it
    result: ast.expr | None = None  # of a lambda

    @property
    def own_name(self) -> str:
        """What a method calls its object."""
        given = [*self.arguments.posonlyargs, *self.arguments.args]
        return given[0].arg if given else "self"

    @cached_property
    def names(self) -> list[str]:
        """The parameters that are given by place."""
        given = [a.arg for a in [*self.arguments.posonlyargs, *self.arguments.args]]
        return given[1:] if self.owner is not None else given

    @cached_property
    def mentioned(self) -> set[str]:
        inside = [*self.run.body, *([self.result] if self.result is not None else [])]
        return {ast.unparse(n) for part in inside for n in ast.walk(part) if isinstance(n, ast.Name | ast.Attribute)}

    @cached_property
    def variables(self) -> set[str]:
        """Its parameters, and what it assigns."""
        every = [*self.arguments.kwonlyargs, *filter(None, (self.arguments.vararg, self.arguments.kwarg))]
        stored = (n for s in self.run.body for n in ast.walk(s) if isinstance(n, ast.Name))
        return {*self.names, *(a.arg for a in every), *(n.id for n in stored if isinstance(n.ctx, ast.Store))}

    def bind(self, given: list[Taint], named: dict[str, Taint]) -> dict[str, Taint]:
        """What each parameter gets."""
        found = dict(zip(self.names, given, strict=False)) | named
        rest = NOTHING
        for taint in given[len(self.names) :]:
            rest |= taint
        return found | ({self.arguments.vararg.arg: rest} if self.arguments.vararg is not None else {})

    def objects(self, call: ast.Call, value: Callable[[ast.expr], Any]) -> dict[str, Any]:
        """The objects that its parameters are, as far as they are known: a model, another function."""
        found = {name: value(a) for name, a in zip(self.names, call.args, strict=False)}
        found |= {k.arg: value(k.value) for k in call.keywords if k.arg}
        if self.owner is not None:
            found[self.own_name] = self.owner
        return {name: known for name, known in found.items() if known is not None}


def called(value: Any, owner: Any = None) -> Callee | None:
    """The function that calling a value runs, if it is the user's own and its source is known."""
    if isinstance(value, MethodType):
        value, owner = value.__func__, value.__self__
    if is_module(value):
        value, owner = type(value).forward, value
    if not isinstance(value, FunctionType):
        return None
    inner = inspect.unwrap(value)
    if not isinstance(inner, FunctionType) or not _is_users(inner.__code__.co_filename):
        return None
    code = inner.__code__
    tree = tree_of(code.co_filename, code)
    node = function_of(tree, code) if tree else None
    if node is None:
        return None
    run = Run(code.co_filename, [] if isinstance(node, ast.Lambda) else node.body, None, code.co_qualname)
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    result = node.body if isinstance(node, ast.Lambda) else None
    return Callee(run, node.args, inner.__globals__, decorators, owner, set(code.co_freevars), result)


def _is_users(file: str) -> bool:
    return not is_own_file(file) and not file.startswith(_LIBRARIES) and not file.startswith("<frozen")


def written_in(f: ast.expr, file: str) -> Callee | None:
    """A function that is known by its name only, because the one around it has ended: the last of the file's."""
    name = f.id if isinstance(f, ast.Name) else ""
    found = [n for n in defined(file, "def", name) if isinstance(n, ast.FunctionDef)] if name else []
    if not found:
        return None
    return Callee(Run(file, found[-1].body, None, name), found[-1].args, {}, found[-1].decorator_list)


def lookup(e: ast.expr, objects: list[dict[str, Any]]) -> tuple[Any, Any]:
    """What an expression stands for, and of a method the object; None where that would need something to be run."""
    if isinstance(e, ast.Name):
        return next((scope[e.id] for scope in objects if e.id in scope), None), None
    if isinstance(e, ast.Attribute):
        return _attribute(lookup(e.value, objects)[0], e.attr)
    if isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Constant):
        return _item(lookup(e.value, objects)[0], e.slice.value), None
    return None, None


def _attribute(owner: Any, name: str) -> tuple[Any, Any]:
    if owner is None:
        return None, None
    if isinstance(owner, ModuleType):
        return vars(owner).get(name), None
    held = getattr(owner, "__dict__", {})
    for known in (held, held.get("_modules", {}), held.get("_parameters", {})):
        if name in known:
            return known[name], None
    is_class = isinstance(owner, type)
    found = inspect.getattr_static(owner if is_class else type(owner), name, None)
    if isinstance(found, staticmethod | classmethod):
        return found.__func__, owner if isinstance(found, classmethod) else None
    return (found, None if is_class else owner) if isinstance(found, FunctionType) else (None, None)


def _item(owner: Any, key: Any) -> Any:
    if is_module(owner):
        parts = list(owner._modules.values())
        return owner._modules.get(key) if isinstance(key, str) else parts[key] if _is_index(key, parts) else None
    if isinstance(owner, dict):
        return owner.get(key)
    return owner[key] if type(owner) in (list, tuple) and _is_index(key, owner) else None


def _is_index(key: Any, items: Any) -> bool:
    return isinstance(key, int) and -len(items) <= key < len(items)
