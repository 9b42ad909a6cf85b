"""Which functions become nodes while a program is recorded: those of nn.functional, and those that wrap() names.

Functions of the core ask the classes of their arguments (`__torch_function__`), and a proxy answers. Those of
nn.functional are plain Python, and asking would cost every call of every program. So they get other code while a
program is recorded: the same function objects, wherever somebody has imported them to, look for proxies first.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from ..pytree import tree_leaves
from .proxy import Proxy

__all__ = ["Patches", "functional_recorded", "wrap"]

_depth = 0  # of recordings inside each other
_plain: dict[FunctionType, CodeType] = {}
_wrapped: dict[tuple[int, str], dict[str, Any]] = {}  # globals of modules that called wrap()


def find_proxy(*values: Any) -> Proxy | None:
    """A proxy somewhere in nested containers."""
    return next((leaf for leaf in tree_leaves(values) if isinstance(leaf, Proxy)), None)


def _call_plain(function: FunctionType, args: tuple, kwargs: dict) -> Any:
    parts = function.__globals__, function.__name__, function.__defaults__, function.__closure__
    twin = FunctionType(_plain[function], *parts)
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin(*args, **kwargs)


def _record_or_call(name: str, args: tuple, kwargs: dict) -> Any:
    function, signature = _by_name[name]
    proxy = find_proxy(args, kwargs)
    if proxy is not None:
        return proxy.__torch_function__(function, (), *_as_pytorch_does(signature, args, kwargs))
    return _call_plain(function, args, kwargs) if function in _plain else function(*args, **kwargs)


_by_name: dict[str, tuple[FunctionType, inspect.Signature]] = {}


def _as_pytorch_does(signature: inspect.Signature, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments as PyTorch's nodes have them: what has a default by its name, also where it was left out."""
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        return args, kwargs
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    optional = {name for name, p in signature.parameters.items() if p.default is not p.empty}
    values = bound.arguments
    return (
        tuple(value for name, value in values.items() if name not in optional),
        {name: value for name, value in values.items() if name in optional},
    )


def _functional() -> dict[str, FunctionType]:
    """The functions of nn.functional that are written in Python."""
    from ..nn import functional

    found = {name: getattr(functional, name) for name in getattr(functional, "__all__")}  # noqa: B009  (stubs lack it)
    return {name: f for name, f in found.items() if isinstance(f, FunctionType)}


_TEMPLATE = """
def make({1}):
    def {0}(*args, **kwargs):
        if False:
            {1}
        from {2} import _record_or_call
        return _record_or_call({0!r}, args, kwargs)
    return {0}
"""


@functools.cache
def _recording_code(name: str, variables: int) -> CodeType:
    """Code that asks for proxies; it must have as many variables of outer functions as the code that it replaces."""
    namespace: dict[str, Any] = {}
    captured = ", ".join(f"v{i}" for i in range(variables))
    exec(_TEMPLATE.format(name, captured or "", __name__).replace("            \n", "            pass\n"), namespace)
    return namespace["make"](*range(variables)).__code__


@contextmanager
def functional_recorded() -> Iterator[None]:
    """A block in which functions of nn.functional record themselves when a proxy is among their arguments."""
    global _depth
    if not _by_name:
        _by_name.update({name: (f, inspect.signature(f)) for name, f in _functional().items()})
    if _depth == 0:
        for name, (function, _) in _by_name.items():
            _plain[function] = function.__code__
            function.__code__ = _recording_code(name, len(function.__code__.co_freevars))
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            for function, code in _plain.items():
                function.__code__ = code
            _plain.clear()


class Patches:
    """Values in dicts and attributes of classes that are others for a while."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: dict[int, Any] = {}

    def item(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """Puts another value under a name of a module."""
        if name in namespace:
            before = namespace[name]
            self._undo.append(lambda: namespace.__setitem__(name, before))
        else:
            self._undo.append(lambda: namespace.pop(name, None))
        namespace[name] = value

    def attribute(self, owner: type, name: str, value: Any) -> None:
        """Puts another attribute on a class."""
        if name in vars(owner):
            before = vars(owner)[name]
            self._undo.append(lambda: setattr(owner, name, before))
        else:
            self._undo.append(lambda: delattr(owner, name))
        setattr(owner, name, value)

    def functions_of(self, namespace: dict[str, Any], wanted: set[int]) -> None:
        """Makes functions of a module record themselves, those whose identities are given; once for a module."""
        if id(namespace) in self._seen:
            return
        self._seen[id(namespace)] = namespace
        for name, value in list(namespace.items()):
            if not name.startswith("_") and callable(value) and id(value) in wanted:
                self.item(namespace, name, _recorded(value))

    def wrapped_functions(self) -> None:
        """Makes functions record themselves that wrap() named."""
        for (_, name), namespace in list(_wrapped.items()):
            self.item(namespace, name, _recorded(namespace[name] if name in namespace else getattr(builtins, name)))

    def undo(self) -> None:
        """Puts everything back."""
        while self._undo:
            self._undo.pop()()


def _recorded(function: Callable) -> Callable:
    """The function, which becomes a node when a proxy is among its arguments."""

    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        result.node.meta["is_wrapped"] = True
        return result

    return recorded


def wrap(fn_or_name: Any) -> Any:
    """Says that a function of the calling module is one node of recorded programs; by its name, or as a decorator."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    _wrapped[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def without_varargs(function: FunctionType, count: int) -> FunctionType:
    """The function with *args and **kwargs as ordinary parameters, so that each can be one proxy."""
    code = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
