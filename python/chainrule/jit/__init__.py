"""torch.jit: decorators leave functions as they are, since chainrule runs Python. `trace` records a program, which
`save` writes and `load` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from ..compat.refusal import refused
from . import annotations as annotations
from .program_file import load, save
from .recorder import TracerWarning, is_recording
from .traced import ScriptFunction, ScriptModule, TopLevelTracedModule, trace, trace_module

__all__ = [
    "Final",
    "ScriptFunction",
    "ScriptModule",
    "TopLevelTracedModule",
    "TracerWarning",
    "load",
    "save",
    "script",
    "trace",
    "trace_module",
]

F = TypeVar("F")


class Error(Exception):
    """What a compiled program raises in PyTorch; Python's own exceptions are raised here."""


def script(obj: F, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> F:
    """Returns the function, class or module as it is: Python runs it.

    >>> torch.jit.script(torch.nn.ReLU())(torch.tensor([-1., 1.]))
    tensor([0., 1.])
    """
    return obj


def script_if_tracing(fn: F) -> F:
    """Returns the function as it is."""
    return fn


_script_if_tracing = script_if_tracing


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Returns the function as it is; as @ignore and as @ignore(drop=...)."""
    return drop if callable(drop) else lambda function: function


def _overload(func: F) -> F:
    """Returns the function as it is; of several with one name, Python keeps the last."""
    return func


_overload_method = _overload


def unused(fn: F) -> F:
    """Returns the function as it is."""
    return fn


def export(fn: F) -> F:
    """Returns the function as it is."""
    return fn


def interface(obj: F) -> F:
    """Returns the class as it is."""
    return obj


def annotate(the_type: Any, the_value: F) -> F:
    """Returns the value."""
    return the_value


class Attribute:
    """A value with its type."""

    def __init__(self, value: Any, type: Any):
        self.value, self.type = value, type


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's isinstance, for classes."""
    import builtins

    return builtins.isinstance(obj, target_type)


def freeze(mod: F, preserved_attrs: Any = None, optimize_numerics: bool = True) -> F:
    """Returns the module as it is."""
    return mod


def optimize_for_inference(mod: F, other_methods: Any = None) -> F:
    """Returns the module as it is."""
    return mod


def fork(func: Callable, *args: Any, **kwargs: Any) -> Any:
    """Calls the function; wait() gives the result."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """What fork() gave."""
    return future


def is_scripting() -> bool:
    """False.

    >>> torch.jit.is_scripting()
    False
    """
    return False


_get_trace_graph = refused(
    "jit._get_trace_graph",
    "chainrule records no graph of PyTorch's compiler; torch.jit.trace(model, inputs).program has its own",
)


def is_tracing() -> bool:
    """Whether torch.jit.trace records what this code does.

    >>> torch.jit.is_tracing()
    False
    """
    return is_recording()


def enable_onednn_fusion(enabled: bool) -> None:
    """Does nothing: there is no program to fuse."""


def set_fusion_strategy(strategy: Any) -> list:
    """Does nothing: there is no program to fuse."""
    return []


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """An ordinary block."""
    yield


RecursiveScriptModule = ScriptModule
