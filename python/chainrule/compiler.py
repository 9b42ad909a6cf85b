"""torch.compile and torch.compiler: nothing is compiled, functions are as fast as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)


def compile(
    model: Callable | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable = "inductor",
    mode: str | None = None,
    options: dict | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
) -> Any:
    """Returns the function or module as it is: chainrule does not compile. The options concern PyTorch's compiler.

    Args:
        model: a function or a module; without one, a decorator is returned.
        fullgraph, dynamic, backend, mode, options, disable, recompile_limit: how PyTorch would compile it.

    >>> double = torch.compile(lambda x: x * 2, backend="eager")
    >>> double(torch.tensor([1., 2.]))
    tensor([2., 4.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    return (lambda function: function) if model is None else model


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Returns the function as it is; as a decorator too.

    >>> torch.compiler.disable(lambda x: x + 1)(torch.ones(1))
    tensor([2.])
    """
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: F) -> F:
    """Returns the function as it is."""
    return fn


def assume_constant_result(fn: F) -> F:
    """Returns the function as it is."""
    return fn


def is_compiling() -> bool:
    """False.

    >>> torch.compiler.is_compiling()
    False
    """
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Does nothing: there is no cache of compiled code."""


def cudagraph_mark_step_begin() -> None:
    """Does nothing: there are no graphs of another device."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """No compilers."""
    return []


class set_stance:  # noqa: N801  (PyTorch's name)
    """Says what the compiler may do, in a block, for a function, or from now on. There is none: nothing changes."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None):
        pass

    def __call__(self, fn: F) -> F:
        return fn

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def nested_compile_region(fn: Any = None, options: Any = None) -> Any:
    """Returns the function as it is; as a decorator too."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(original_fn: Callable, **options: Any) -> Callable[[F], F]:
    """A decorator that returns the function as it is: no graph is traced that it could stand in."""
    return lambda function: function
