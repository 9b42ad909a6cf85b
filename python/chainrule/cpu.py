"""torch.cpu: the one device, in the words of the others."""

from __future__ import annotations

from typing import Any


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
    """The one order of operations: each is complete when it returns.

    >>> torch.cpu.Stream().wait_stream(torch.cpu.current_stream())
    """

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: there is nothing to wait for."""

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Any) -> None:
        """Does nothing."""


class Event:
    """A point in that order; it has always been reached.

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


class StreamContext:
    """A block on a stream, of which there is one.

    >>> with torch.cpu.stream(torch.cpu.Stream()):
    ...     torch.ones(1) + 1
    tensor([2.])
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


stream = StreamContext
_stream = Stream()


def current_stream(device: Any = None) -> Stream:
    """The one stream."""
    return _stream
