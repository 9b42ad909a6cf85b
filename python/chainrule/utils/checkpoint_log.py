"""What checkpoint(debug=True) tells when the second calculation differs: the operations of both, with their lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..watchers import unwatch, watch


class OperationLog:
    """Within it, every operation is written down."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __enter__(self) -> None:
        watch(self._see)

    def __exit__(self, *exception: object) -> None:
        unwatch(self._see)

    def _see(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        shapes = [_described(a) for a in args] + [f"{name}={_described(a)}" for name, a in kwargs.items()]
        line = _core.current_line()
        place = "" if line is None else f"   {line[0]}:{line[1]}"
        self.lines.append(f"{getattr(function, '__name__', function)}({', '.join(shapes)}){place}")
        return function(*args, **kwargs)


def _described(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, Tensor) else repr(value)


def told(error: Exception, first: OperationLog, second: OperationLog) -> str:
    """The error's words after both lists, where they are still on the screen."""
    lists = [
        f"Operations executed during {when}:\n\n" + "\n".join(f"  {line}" for line in log.lines)
        for when, log in (("the original forward", first), ("recomputation", second))
    ]
    return "\n\n".join(
        [
            "An error happened while unpacking tensors; dumping logs of latest computation because you passed "
            "`debug=True` to `torch.utils.checkpoint.checkpoint()`.",
            *lists,
            "You are seeing this error because you passed `debug=True` to checkpoint and tensors to be saved during "
            "the original forward and differ between those saved during recomputation. This can happen if different "
            f"operators were ran in the original forward and in the recomputation. {error}",
        ]
    )
