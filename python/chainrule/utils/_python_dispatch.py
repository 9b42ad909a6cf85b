"""torch.utils._python_dispatch: blocks in which every operation goes through a Python function.

chainrule has no dispatcher: a mode sees the calls of the core under the names of aten, and what PyTorch composes of
several operations in its parts (`ops/aten_parts.py`). Gradients are calculated inside of the core and are not seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Self

from .._core import Tensor
from ..ops.aten_calls import as_aten
from ..watchers import unwatch, watch

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing"]

_entered = threading.local()


class TorchDispatchMode:
    """A block in which every operation goes to the mode's __torch_dispatch__, as an operation of torch.ops.aten.

    >>> from torch.utils._python_dispatch import TorchDispatchMode
    >>> class Log(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x = torch.ones(2)
    >>> with Log():
    ...     y = x * 2 + x
    aten.mul.Tensor
    aten.add.Tensor
    """

    _takes_apart = True  # what is composed of several operations

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is not None:
            raise NotImplementedError("TorchDispatchMode: chainrule has no dispatcher whose key could be chosen")

    def __torch_dispatch__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread = threading.get_ident()
        _modes().append(self)
        watch(self._watched)
        return self

    def __exit__(self, *exception: Any) -> None:
        _modes().remove(self)
        unwatch(self._watched)

    def _watched(self, func: Callable, args: tuple, kwargs: dict) -> Any:
        if threading.get_ident() != self._thread:
            return func(*args, **kwargs)
        return as_aten(func, args, kwargs, self._run, apart=self._takes_apart)

    def _run(self, op: Callable, *args: Any, **kwargs: Any) -> Any:
        kinds = dict.fromkeys(type(a) for a in args if isinstance(a, Tensor) and hasattr(type(a), "__torch_dispatch__"))
        return self.__torch_dispatch__(op, tuple(kinds), args, kwargs)


def _modes() -> list[TorchDispatchMode]:
    if not hasattr(_entered, "modes"):
        _entered.modes = []
    return _entered.modes


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The mode that is asked first."""
    return _modes()[-1] if _modes() else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """All modes, the first that was entered first."""
    return list(_modes())


def _len_torch_dispatch_stack() -> int:
    return len(_modes())


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether there is such a mode."""
    return bool(_modes())


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor is made of others and says of which: has __tensor_flatten__ and __tensor_unflatten__."""
    kind = type(t)
    return (
        isinstance(t, Tensor)
        and kind is not Tensor
        and hasattr(kind, "__tensor_flatten__")
        and hasattr(kind, "__tensor_unflatten__")
    )


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """The same of a class."""
    return issubclass(t, Tensor) and t is not Tensor and hasattr(t, "__tensor_flatten__")


def transform_subclass(
    t: Any, callback: Callable[[str, Tensor], Tensor], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A tensor that is made of others, with each of them changed by the function."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    size, stride = t.size() if outer_size is None else outer_size, t.stride() if outer_stride is None else outer_stride
    return type(t).__tensor_unflatten__(inner, context, size, stride)


def return_and_correct_aliasing(func: Callable, args: tuple, kwargs: dict, out: Any) -> Any:
    """What an operation gives: its first argument where it writes into it (its name ends with _), else the result."""
    name = getattr(func, "__name__", "").partition(".")[0]
    return args[0] if name.endswith("_") and not name.startswith("__") else out


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that runs each operation as it is."""

    def __torch_dispatch__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def _disable_current_modes() -> Any:
    """A block without the modes."""
    return _WithoutModes()


class _WithoutModes:
    def __enter__(self) -> list[TorchDispatchMode]:
        self._left = list(_modes())
        for mode in reversed(self._left):
            mode.__exit__(None, None, None)
        return self._left

    def __exit__(self, *exception: Any) -> None:
        for mode in self._left:
            mode.__enter__()
