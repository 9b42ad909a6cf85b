"""torch.Stream and torch.Event: the order of operations of a device. The CPU has one, each complete when it returns."""

from __future__ import annotations

from typing import Any, NoReturn

from . import _core
from .error_words import at_call

_NO_EVENTS = "cpu backend doesn't support events."


def _checked_device(device: Any) -> _core.device:
    _core.check_device(device)
    return _core.device("cpu")


class Stream:
    """An order of operations on a device.

    Args:
        device: the CPU.
        priority: among the streams of a device; there is one.

    >>> torch.Stream().query()
    True
    """

    __module__ = "chainrule"
    stream_id, device_type, device_index = 0, 0, -1

    def __init__(self, device: Any = None, *, priority: int = 0):
        self.device = _checked_device(device)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return hash((self.device_type, self.stream_id))

    def __repr__(self) -> str:
        return "torch.Stream device_type=cpu, device_index=-1, stream_id=0"

    def query(self) -> bool:
        """True: everything is complete."""
        return True

    def synchronize(self) -> None:
        """Does nothing: everything is complete."""

    def wait_event(self, event: Event) -> None:
        """Does nothing: the event has come."""

    def wait_stream(self, other_stream: Stream) -> None:
        """Raises, as for PyTorch's CPU: streams wait by events."""
        raise at_call(RuntimeError, _NO_EVENTS)

    def record_event(self, event: Event | None = None) -> NoReturn:
        """Raises, as for PyTorch's CPU."""
        raise at_call(RuntimeError, _NO_EVENTS)


class Event:
    """A moment in the order of a device's operations; on the CPU it has always come.

    Args:
        device: the CPU.
        enable_timing, blocking, interprocess: how other devices keep it.

    >>> torch.Event().query()
    True
    """

    __module__ = "chainrule"
    event_id = 0

    def __init__(
        self,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ):
        self.device, self._timed = _checked_device(device), enable_timing

    def __repr__(self) -> str:
        return f"torch.Event device_type=cpu, device_index=-1, event_flag={int(self._timed)}, event_id=0"

    def query(self) -> bool:
        """True: it has come."""
        return True

    def synchronize(self) -> None:
        """Does nothing: it has come."""

    def wait(self, stream: Stream | None = None) -> None:
        """Does nothing: it has come."""

    def record(self, stream: Stream | None = None) -> None:
        """Raises, as for PyTorch's CPU."""
        raise at_call(RuntimeError, _NO_EVENTS)

    def elapsed_time(self, end_event: Event) -> float:
        """Raises, as for PyTorch's CPU: time.perf_counter() tells the time."""
        if not (self._timed and end_event._timed):
            raise at_call(ValueError, "Both events must be created with argument 'enable_timing=True'.")
        raise at_call(RuntimeError, _NO_EVENTS)
