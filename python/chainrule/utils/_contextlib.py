"""torch.utils._contextlib: blocks that are decorators as well."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["context_decorator"]


def context_decorator(ctx: Any, func: Callable) -> Callable:
    """The function inside of a block; `ctx` is the block, or makes one for each call. Generators are resumed in it."""
    make: Any = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isclass(func):
        raise RuntimeError("Cannot decorate classes; it is ambiguous whether or not only the constructor is meant")
    if inspect.isgeneratorfunction(func):
        return _generator_in_block(make, func)

    @functools.wraps(func)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    return inside


def _generator_in_block(make: Callable[[], Any], func: Callable) -> Callable:
    """A generator that is in the block while it runs, and outside while it waits."""

    @functools.wraps(func)
    def inside(*args: Any, **kwargs: Any) -> Any:
        generator = func(*args, **kwargs)
        step, value = generator.send, None
        while True:
            try:
                with make():
                    given = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                value, step = (yield given), generator.send
            except GeneratorExit:
                with make():
                    generator.close()
                raise
            except BaseException as error:
                value, step = error, generator.throw

    return inside


class _DecoratorContextManager:
    """A block that can be written as a decorator: a subclass has __enter__, __exit__ and, if it needs one, clone."""

    def __call__(self, orig_func: Callable) -> Callable:
        return context_decorator(self.clone, orig_func)

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *exception: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Another one like it, for a call."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same without arguments, so that the class itself can be the decorator."""

    def __new__(cls, orig_func: Callable | None = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
