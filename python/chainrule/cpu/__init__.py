"""torch.cpu: the one device, in the words of the others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import amp

__all__ = [
    "Event",
    "Stream",
    "amp",
    "current_device",
    "current_stream",
    "device_count",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """True.

    >>> torch.cpu.is_available()
    True
    """
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1.

    >>> torch.cpu.device_count()
    1
    """
    return 1


def current_device() -> str:
    """The CPU.

    >>> torch.cpu.current_device()
    'cpu'
    """
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one."""


def synchronize(device: Any = None) -> None:
    """Does nothing: operations are complete when they return.

    >>> torch.cpu.synchronize()
    """


class Stream:
    """An order of operations. There is one, in which each is complete when it returns.

    >>> torch.cpu.Stream().wait_stream(torch.cpu.current_stream())
    """

    def __init__(self, priority: int = -1):
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing."""

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Any) -> None:
        """Does nothing."""


class Event:
    """A moment in the order of operations; it has always come.

    >>> torch.cpu.Event().query()
    True
    """

    def query(self) -> bool:
        """True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Does nothing."""

    def wait(self, stream: Any = None) -> None:
        """Does nothing."""


_current = [Stream()]


def current_stream(device: Any = None) -> Stream:
    """The stream that was last chosen."""
    return _current[-1]


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """A region in which `stream` is the current one; None changes nothing.

    >>> with torch.cpu.stream(torch.cpu.Stream()):
    ...     torch.ones(1) + 1
    tensor([2.])
    """
    _current.append(stream or _current[-1])
    try:
        yield
    finally:
        _current.pop()
