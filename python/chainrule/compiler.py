"""torch.compile and torch.compiler: nothing is compiled, functions are as fast as they are written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar

from .compat.refusal import refused
from .error_words import at_call
from .user_warning import warn_user

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
    """A module inside of an OptimizedModule, as PyTorch gives it; a function as it is. Both run as they are: chainrule
    does not compile, and the options, which are checked, change nothing.

    Args:
        model: a function or a module; without one, a decorator is returned.
        fullgraph, dynamic, backend, mode, options, disable, recompile_limit: how PyTorch would compile it.

    >>> double = torch.compile(lambda x: x * 2, backend="eager")
    >>> double(torch.tensor([1., 2.]))
    tensor([2., 4.])
    """
    if mode is not None and options is not None:
        raise at_call(
            RuntimeError, "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if model is None:  # the rest is checked when there is something to compile, as in PyTorch
        return partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if dynamic not in (None, True, False):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    _check_backend(backend, mode, options)
    if callable(backend):
        warn_user("torch.compile: chainrule runs programs as they are and does not call the backend")
    return _compiled(model)


def _check_backend(backend: Any, mode: Any, options: Any) -> None:
    if backend == "inductor":
        if mode not in (None, *_MODES):
            raise at_call(RuntimeError, f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
        if options:
            from ._inductor.option_names import check_options

            check_options(options)
    elif isinstance(backend, str) and backend not in _BACKENDS:
        from ._dynamo.exc import InvalidBackend

        raise InvalidBackend(backend)


def _compiled(model: Any) -> Any:
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    from ._dynamo.optimized_module import OptimizedModule
    from .nn.modules.module import Module

    return OptimizedModule(model) if isinstance(model, Module) and not isinstance(model, OptimizedModule) else model


_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_BACKENDS = (
    *("inductor", "eager", "aot_eager", "cudagraphs", "tvm", "openxla", "openxla_eval", "aot_ts", "ts"),
    *("aot_eager_decomp_partition", "eager_debug", "eager_noexcept", "pre_dispatch_eager"),
)


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


config = SimpleNamespace(cache_key_tag="", dynamic_sources="", job_id=None)  # settings, which change nothing
load_compiled_function = refused("compiler.load_compiled_function", "chainrule does not compile")
