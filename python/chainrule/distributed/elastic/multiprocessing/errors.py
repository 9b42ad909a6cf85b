"""torch.distributed.elastic.multiprocessing.errors: what a failed process leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable)


class ChildFailedError(Exception):
    """What PyTorch's launcher raises when a process failed; `chainrule launch` ends with an exit code."""


def record(fn: F, error_handler: object = None) -> F:
    """Returns the function as it is: `chainrule launch` tells which process failed, and why, of every program."""
    if error_handler is not None:
        raise RuntimeError("record(): error_handler: chainrule writes no error files; leave it out")
    return fn
