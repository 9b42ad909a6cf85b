"""The user's own functions, as they are called: which one a call means, and what its parameters get."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType, MethodType, ModuleType
from typing import Any

from .blocks import defined
from .departures import Taint, join
from .frames import is_own_file
from .history import Run, function_of
from .names import is_module
from .source import tree_of, walked

__all__ = ["Callee", "above", "called", "has_no_source", "lookup", "parts_of", "property_of", "written_in"]

_MOST_PARTS = 200
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
    known: dict[str, Any] = field(default_factory=dict)  # what those variables are
    makes: type | None = None  # of a class that is called: it is __init__
    given: int = 0  # by functools.partial, of its parameters
    gives_followed: bool = False  # what it returns is what is followed

    @property
    def own_name(self) -> str:
        """What a method calls its object."""
        given = [*self.arguments.posonlyargs, *self.arguments.args]
        return given[0].arg if given else "self"

    @cached_property
    def names(self) -> list[str]:
        """The parameters that are given by place."""
        given = [a.arg for a in [*self.arguments.posonlyargs, *self.arguments.args]]
        return given[self.given + (self.owner is not None or self.makes is not None) :]

    @property
    def star(self) -> str:
        return self.arguments.vararg.arg if self.arguments.vararg is not None else ""

    @property
    def parameters(self) -> list[str]:
        """All that a call may give."""
        return [*self.names, *(a.arg for a in self.arguments.kwonlyargs), *filter(None, [self.star])]

    @cached_property
    def returns(self) -> str | None:
        """The variable whose value it gives back, if that is always the same one."""
        found = {
            ast.unparse(n.value) for s in self.run.body for n in walked(s) if isinstance(n, ast.Return) and n.value
        }
        name = next(iter(found)) if len(found) == 1 else ""
        return name if name.isidentifier() else None

    @cached_property
    def assigned(self) -> set[str]:
        """The variables that it gives a value."""
        return {
            n.id for s in self.run.body for n in walked(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }

    @cached_property
    def mentioned(self) -> set[str]:
        inside = [*self.run.body, *([self.result] if self.result is not None else [])]
        return {n.id for part in inside for n in ast.walk(part) if isinstance(n, ast.Name)}

    @cached_property
    def variables(self) -> set[str]:
        """Its parameters, and what it assigns."""
        every = [*self.arguments.kwonlyargs, *filter(None, (self.arguments.vararg, self.arguments.kwarg))]
        return {*self.names, *(a.arg for a in every), *self.assigned}

    def bind(self, given: list[Taint], named: dict[str, Taint]) -> dict[str, Taint]:
        """What each parameter gets."""
        found = dict(zip(self.names, given, strict=False)) | {n: t for n, t in named.items() if n in self.parameters}
        others = join(t for n, t in named.items() if n not in self.parameters)
        if self.arguments.kwarg is not None:
            found[self.arguments.kwarg.arg] = others
        if named.get(""):  # **options, with whatever is in there
            found |= {name: named[""] for name in self.parameters if name not in found}
        return found | ({self.star: join(given[len(self.names) :])} if self.star else {})

    def objects(self, call: ast.Call, value: Callable[[ast.expr], Any]) -> dict[str, Any]:
        """The objects that its parameters are, as far as they are known: a model, another function."""
        found = {name: value(a) for name, a in zip(self.names, call.args, strict=False)}
        found |= {k.arg: value(k.value) for k in call.keywords if k.arg}
        if self.owner is not None:
            found[self.own_name] = self.owner
        return {name: known for name, known in found.items() if known is not None}


def called(value: Any, owner: Any = None) -> Callee | None:
    """The function that calling a value runs, if it is the user's own and its source is known."""
    if isinstance(value, functools.partial):
        inner = called(value.func)
        return inner and replace(inner, given=inner.given + len(value.args))
    makes = value if isinstance(value, type) else None
    if makes is not None:
        value = inspect.getattr_static(makes, "__init__", None)
    if isinstance(value, MethodType):
        value, owner = value.__func__, value.__self__
    runs = inspect.getattr_static(type(value), "forward" if is_module(value) else "__call__", None)
    if isinstance(runs, FunctionType):
        value, owner = runs, value
    function = _users_own(value)
    code = function.__code__ if function is not None else None
    tree = tree_of(code.co_filename, code) if code is not None else None
    node = function_of(tree, code) if tree is not None and code is not None else None
    if function is None or code is None or node is None:
        return None
    run = Run(code.co_filename, [] if isinstance(node, ast.Lambda) else node.body, None, code.co_qualname)
    found = Callee(run, node.args, function.__globals__, owner=owner, closed=set(code.co_freevars), makes=makes)
    found.decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    found.result = node.body if isinstance(node, ast.Lambda) else None
    found.known = _closure(function)
    return found


def _users_own(value: Any) -> FunctionType | None:
    """The outermost function of the user's: of a decorator that he wrote, the wrapper."""
    while isinstance(value, FunctionType) and not _is_users(value.__code__.co_filename):
        value = getattr(value, "__wrapped__", None)
    return value if isinstance(value, FunctionType) else None


def _closure(function: FunctionType) -> dict[str, Any]:
    """What the variables are that a function has of the one around it."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):  # it is still empty
            found[name] = cell.cell_contents
    return found


def has_no_source(value: Any) -> bool:
    """Whether it is a function of the user's whose source is not known, or is not what runs any more."""
    return isinstance(value, FunctionType) and _is_users(value.__code__.co_filename) and called(value) is None


def parts_of(value: Any) -> list[Any]:
    """The layers of a container that calls them one after another, the items of a list; of layers of a kind one."""
    if _is_container(value):
        parts = list(value._modules.values())
    else:
        parts = list(value.values()) if type(value) is dict else value if type(value) in (list, tuple) else []
    if len(parts) > _MOST_PARTS or not all(callable(p) or _has_methods(p) for p in parts):
        return []
    return list({type(p) if is_module(p) else id(p): p for p in parts}.values())


def _has_methods(value: Any) -> bool:
    """Whether it is an object of a class of the user's."""
    return any(isinstance(f, FunctionType) and _is_users(f.__code__.co_filename) for f in vars(type(value)).values())


def _is_container(value: Any) -> bool:
    nn = sys.modules.get("chainrule.nn")
    return nn is not None and isinstance(value, nn.Sequential | nn.ModuleList | nn.ModuleDict)


def property_of(owner: Any, name: str) -> Any:
    """The function that reading an attribute runs."""
    found = None if owner is None else inspect.getattr_static(type(owner), name, None)
    if isinstance(found, functools.cached_property):
        return found.func
    return found.fget if isinstance(found, property) else None


def above(f: ast.Attribute, owner: Any, where: str) -> tuple[Any, Any]:
    """`super().method` of an object, in the method that runs."""
    if owner is None or ast.unparse(f.value) != "super()":
        return None, None
    order, cls = type(owner).__mro__, where.rpartition(".")[0].rpartition(".")[2]
    own = next((i for i, c in enumerate(order) if c.__name__ == cls), len(order))
    found = next((vars(c)[f.attr] for c in order[own + 1 :] if f.attr in vars(c)), None)
    return (found, owner) if isinstance(found, FunctionType) else (None, None)


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
    is_class = isinstance(owner, type)
    held = {} if is_class else getattr(owner, "__dict__", {})
    for known in (held, held.get("_modules", {}), held.get("_parameters", {})):
        if name in known:
            return known[name], None
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
