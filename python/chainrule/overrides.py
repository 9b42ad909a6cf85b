"""Classes that take operations over: __torch_function__, and what is needed to write one."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, Self

from . import _core
from ._core import Tensor
from .watchers import unwatch, watch

if TYPE_CHECKING:
    from .overridable import get_ignored_functions, get_overridable_functions, get_testing_overrides, resolve_name

__all__ = [
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


class DisableTorchFunctionSubclass:
    """A block in which no class has a say: operations run as on plain tensors and give plain tensors.

    >>> class Mine(torch.Tensor):
    ...     pass
    >>> with torch._C.DisableTorchFunctionSubclass():
    ...     type(torch.ones(2).as_subclass(Mine) + 1).__name__
    'Tensor'
    """

    def __enter__(self) -> None:
        self._before = _core.overriding_enabled()
        _core.set_overriding_enabled(False)

    def __exit__(self, *exception) -> None:
        _core.set_overriding_enabled(self._before)


class TorchFunctionMode:
    """A block in which every call of an operation goes to the mode's __torch_function__, whatever its arguments are.

    The last mode that was entered is asked first; what it calls goes to the one below it. Functions of chainrule that
    are written in Python are not seen themselves, but the operations that they are made of are.

    >>> class Count(torch.overrides.TorchFunctionMode):
    ...     calls = 0
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         self.calls += 1
    ...         return func(*args, **(kwargs or {}))
    >>> with Count() as count:
    ...     y = torch.ones(2) + 1
    >>> count.calls
    2
    """

    def __torch_function__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread = threading.get_ident()
        watch(self._watched)
        return self

    def __exit__(self, *exception: Any) -> None:
        unwatch(self._watched)

    def _watched(self, func: Callable, args: tuple, kwargs: dict) -> Any:
        if threading.get_ident() != self._thread:
            return func(*args, **kwargs)
        kinds = dict.fromkeys(type(a) for a in (*args, *kwargs.values()) if has_torch_function_unary(a))
        result = self.__torch_function__(func, tuple(kinds), args, kwargs)
        if result is NotImplemented:
            raise TypeError(
                f"no implementation found for 'torch.{getattr(func, '__name__', func)}' on types that implement "
                f"__torch_function__: [{type(self)}]"
            )
        return result


def _disabled_torch_function_impl(func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """As a class's __torch_function__: results of operations on its instances are plain tensors."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def _recast(result: Any, cls: type) -> Any:
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return _core.view_as_subclass(cls, result) if cls is not Tensor else result
    if isinstance(result, (tuple, list)):
        parts = [_recast(part, cls) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _torch_function(cls, func: Callable, types: Iterable[type], args: tuple = (), kwargs: dict | None = None) -> Any:
    """Runs an operation and gives its result the class: what a class's own __torch_function__ calls by super()."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    return result if func in get_default_nowrap_functions() else _recast(result, cls)


def get_default_nowrap_functions() -> set[Callable]:
    """Functions whose results keep the class that they have.

    >>> torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions()
    True
    """
    return {Tensor._base.__get__, Tensor.grad.__get__}


def has_torch_function(relevant_args: Iterable) -> bool:
    """Whether a class among the arguments takes operations over.

    >>> torch.overrides.has_torch_function((torch.ones(2),))
    False
    """
    if not hasattr(relevant_args, "__len__") and not hasattr(relevant_args, "__iter__"):
        raise TypeError("expected a sequence")
    return _core.is_overridden(tuple(relevant_args))


def has_torch_function_unary(tensor: Any) -> bool:
    """has_torch_function of one argument."""
    return _core.is_overridden((tensor,))


def has_torch_function_variadic(*args: Any) -> bool:
    """has_torch_function of several arguments."""
    return _core.is_overridden(args)


def handle_torch_function(public_api: Callable, relevant_args: Iterable, *args: Any, **kwargs: Any) -> Any:
    """Asks the classes of the relevant arguments what public_api(*args, **kwargs) is.

    >>> class Mine:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return "mine"
    >>> def double(x):
    ...     if torch.overrides.has_torch_function((x,)):
    ...         return torch.overrides.handle_torch_function(double, (x,), x)
    ...     return 2 * x
    >>> double(Mine())
    'mine'
    """
    types, handlers = [], []
    for argument in relevant_args:
        kind = type(argument)
        if kind is Tensor or kind in types or not hasattr(kind, "__torch_function__"):
            continue
        at = next((i for i, other in enumerate(types) if issubclass(kind, other)), len(types))
        types.insert(at, kind)
        handlers.insert(at, argument.__torch_function__)
    for handler in handlers:
        result = handler(public_api, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
        f"__torch_function__: {types}"
    )


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Makes a Python function one that classes can take over; `dispatcher` gives the arguments that count.

    >>> class Mine:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return "mine"
    >>> @torch.overrides.wrap_torch_function(lambda x: (x,))
    ... def double(x):
    ...     return 2 * x
    >>> double(Mine())
    'mine'
    """

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor or has a __torch_function__.

    >>> torch.overrides.is_tensor_like(torch.ones(2))
    True
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether the function belongs to Tensor: a method, or the getter of a property.

    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
    True
    """
    return getattr(Tensor, getattr(func, "__name__", ""), None) is func or getattr(func, "__name__", "") == "__get__"


_LISTS = ("get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "resolve_name")


def __getattr__(name: str) -> Any:
    if name in _LISTS:
        return getattr(importlib.import_module("chainrule.overridable"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


setattr(Tensor, "__torch_function__", classmethod(_torch_function))  # noqa: B010
_core.set_torch_functions(Tensor.__dict__["__torch_function__"], _disabled_torch_function_impl)
