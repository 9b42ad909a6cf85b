"""What functions written in Python do inside an autocast region; see core/bindings/calls/autocast.cpp."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .. import _core
from .._core import Tensor, float32, float64
from ..error_words import at_call

P = ParamSpec("P")
R = TypeVar("R")
_is_autocast_enabled, _set_autocast_enabled = _core.is_autocast_enabled, _core.set_autocast_enabled


def _widened(value: Any) -> Any:
    floats = isinstance(value, Tensor) and value.is_floating_point() and value.dtype is not float64
    return value.to(float32) if floats else value


def as_given(function: Callable[P, R]) -> Callable[P, R]:
    """Inside an autocast region the function runs as outside: in PyTorch it is one operation, which is not cast."""

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        before = _is_autocast_enabled()
        _set_autocast_enabled(False)
        try:
            return function(*args, **kwargs)
        finally:
            _set_autocast_enabled(before)

    return checked


def unsafe_on_gpu(words: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Inside an autocast region of GPUs the function raises with these words, as in PyTorch."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if _core.autocasts(True) and any(isinstance(a, Tensor) and a.is_cuda for a in (*args, *kwargs.values())):
                raise at_call(RuntimeError, words)
            return function(*args, **kwargs)

        return checked

    return decorate


def in_float32_on_cpu(function: Callable[P, R]) -> Callable[P, R]:
    """in_float32() for what is on PyTorch's list for the CPU only."""
    widened = in_float32(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        on_gpu = bool(args) and isinstance(args[0], Tensor) and args[0].is_cuda
        return (function if on_gpu else widened)(*args, **kwargs)

    return checked


def in_float32(function: Callable[P, R]) -> Callable[P, R]:
    """Inside an autocast region the function gets float32, and runs without autocast."""

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if not _is_autocast_enabled():
            return function(*args, **kwargs)
        plain: Callable[..., R] = function
        _set_autocast_enabled(False)
        try:
            return plain(*map(_widened, args), **{name: _widened(value) for name, value in kwargs.items()})
        finally:
            _set_autocast_enabled(True)

    return checked
