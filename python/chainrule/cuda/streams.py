"""Streams and events: the order of a GPU's work."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, NoReturn

from .. import _core
from .. import streams as any_device
from .devices import NONE, device_count, device_index, needs_gpu
from .devices import device as device_scope

__all__ = [
    "Event",
    "ExternalStream",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "get_stream_from_external",
    "set_stream",
    "stream",
]
_gpu = _core._cuda
_DEVICE_TYPE = 1  # PyTorch's number for CUDA

# As many streams as PyTorch's for each GPU and priority; who asks for more gets the first one again. None is ever
# destroyed, so that the memory that was given back on one is used again.
_POOL = 32
_pools: dict[tuple[int, int], tuple[list[int], Any]] = {}


def _from_pool(device: int, priority: int) -> int:
    streams, turns = _pools.setdefault((device, priority), ([], itertools.count()))
    turn = next(turns) % _POOL
    if turn == len(streams):
        streams.append(_gpu.create_stream(device, priority))
    return streams[turn]


class Stream(any_device.Stream):
    """An order of work on a GPU: what is asked for on one stream runs in that order, beside other streams.

    Args:
        device: the GPU; the current one if None.
        priority: lower numbers go before others.
    """

    __module__ = "chainrule.cuda"
    device_type = _DEVICE_TYPE

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any):
        if not device_count():
            raise RuntimeError(f"torch.cuda.{type(self).__name__} requires CUDA support: {NONE}")
        number = kwargs.pop("stream_ptr", None)
        if number is None:
            number = kwargs.pop("stream_id", None)
        index = kwargs.pop("device_index", None)
        kwargs.pop("device_type", None)
        if kwargs:
            raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
        self.device_index = device_index(device) if index is None else index
        least, greatest = self.priority_range()
        self.priority = min(max(priority, greatest), least)
        self.cuda_stream = _from_pool(self.device_index, self.priority) if number is None else number

    @property
    def device(self) -> _core.device:
        """The GPU."""
        return _core.device("cuda", self.device_index)

    @property
    def stream_id(self) -> int:
        """The driver's own handle, as a number."""
        return self.cuda_stream

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_stream)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The lowest priority and the highest, which is the smaller number."""
        return _gpu.priority_range()

    def __enter__(self) -> Stream:
        outer = StreamContext(self)
        outer.__enter__()
        self.__dict__.setdefault("_blocks", []).append(outer)
        return self

    def __exit__(self, *exception: object) -> None:
        self.__dict__["_blocks"].pop().__exit__(*exception)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.cuda_stream, self.device) == (other.cuda_stream, other.device)

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device_index))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"

    def query(self) -> bool:
        """Whether all that was asked for is done."""
        return _gpu.query_stream(self.cuda_stream)

    def synchronize(self) -> None:
        """Waits until all that was asked for is done."""
        _gpu.synchronize_stream(self.device_index, self.cuda_stream)

    def wait_event(self, event: Any) -> None:
        """What is asked for from now on waits until the event has come."""
        event.wait(self)

    def wait_stream(self, other_stream: Any) -> None:
        """What is asked for from now on waits for all that the other stream was asked for up to now."""
        self.wait_event(other_stream.record_event())

    def record_event(self, event: Any = None) -> Any:
        """An event that comes when all that was asked for up to now is done."""
        event = Event() if event is None else event
        event.record(self)
        return event


class ExternalStream(Stream):
    """A stream that another library has made.

    Args:
        stream_ptr: the driver's handle.
        device: the GPU; the current one if None.
    """

    __module__ = "chainrule.cuda"

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any):
        super().__init__(device, stream_ptr=stream_ptr, **kwargs)


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """The stream that another library has made."""
    return ExternalStream(data_ptr, device)


@needs_gpu
def current_stream(device: Any = None) -> Stream:
    """The stream on which a GPU is asked for work."""
    index = device_index(device)
    return Stream(device_index=index, stream_ptr=_gpu.current_stream(index))


@needs_gpu
def default_stream(device: Any = None) -> Stream:
    """The stream that is the current one where none was chosen."""
    return Stream(device_index=device_index(device), stream_ptr=0)


def set_stream(stream: Stream | None) -> None:
    """Makes a stream, and its GPU, the current one; `with torch.cuda.stream(s)` does so for a block."""
    if stream is None:
        return
    if not device_count():
        raise AssertionError(f"torch.cuda.set_stream: {NONE}")
    _gpu.set_device(stream.device_index)
    _gpu.set_stream(stream.device_index, stream.cuda_stream)


class StreamContext:
    """Makes a stream, and its GPU, the current one for the time of a block; None changes nothing."""

    def __init__(self, stream: Stream | None):
        if stream is not None and not device_count():
            raise AssertionError(NONE)
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self._device, index = device_scope(self.stream.device), self.stream.device_index
            self._before = Stream(device_index=index, stream_ptr=_gpu.current_stream(index))
            self._device.__enter__()
            set_stream(self.stream)

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            set_stream(self._before)
            self._device.__exit__(*exception)


def stream(stream: Stream | None) -> StreamContext:
    """Makes a stream, and its GPU, the current one for the time of a block; None changes nothing."""
    return StreamContext(stream)


class Event(any_device.Event):
    """A moment in the order of a GPU's work.

    Args:
        enable_timing: whether the time between two can be asked for.
        blocking: whether who waits for it sleeps, rather than asks again and again.
        interprocess: refused: events are not shared with other processes.
    """

    __module__ = "chainrule.cuda"

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
        device: Any = None,
    ):
        if not device_count():
            raise RuntimeError(f"Tried to instantiate dummy base class Event: {NONE}")
        if interprocess:
            raise NotImplementedError("torch.cuda.Event(interprocess=True): events are not shared with other processes")
        self._timed, self._flags = enable_timing, (0 if enable_timing else 2) | (1 if blocking else 0)
        self._index = -1 if device is None else device_index(device)
        self.cuda_event = 0

    def __del__(self) -> None:
        if getattr(self, "cuda_event", 0) and _gpu.is_initialized():
            _gpu.destroy_event(self.cuda_event)

    @property
    def device(self) -> _core.device | None:
        """The GPU; None before it was recorded."""
        return None if self._index < 0 else _core.device("cuda", self._index)

    @property
    def event_id(self) -> int:
        """The driver's own handle, as a number; 0 before it was recorded."""
        return self.cuda_event

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_event)

    def __repr__(self) -> str:
        at = f"{self.cuda_event:#x}" if self.cuda_event else "uninitialized"
        return f"<torch.cuda.Event {at}>"

    def record(self, stream: Any = None) -> None:
        """It comes when all that the stream was asked for up to now is done."""
        stream = current_stream() if stream is None else stream
        if self._index < 0:
            self._index = stream.device_index
        if self._index != stream.device_index:
            raise RuntimeError(
                f"Event device {self._index} does not match recording stream's device {stream.device_index}."
            )
        if not self.cuda_event:
            self.cuda_event = _gpu.create_event(self._index, self._flags)
        _gpu.record_event(self.cuda_event, self._index, stream.cuda_stream)

    def wait(self, stream: Any = None) -> None:
        """What the stream is asked for from now on waits until it has come."""
        if self.cuda_event:
            _gpu.wait_event((current_stream() if stream is None else stream).cuda_stream, self.cuda_event)

    def query(self) -> bool:
        """Whether it has come, or nobody recorded it."""
        return not self.cuda_event or _gpu.query_event(self.cuda_event)

    def synchronize(self) -> None:
        """Waits until it has come."""
        if self.cuda_event:
            _gpu.synchronize_event(self.cuda_event)

    def elapsed_time(self, end_event: Any) -> float:
        """The milliseconds from this one to the other."""
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self.cuda_event and end_event.cuda_event):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return _gpu.elapsed(self.cuda_event, end_event.cuda_event)

    def ipc_handle(self) -> NoReturn:
        """Raises: events are not shared with other processes."""
        raise NotImplementedError("torch.cuda.Event.ipc_handle: events are not shared with other processes")

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> NoReturn:
        """Raises: events are not shared with other processes."""
        raise NotImplementedError("torch.cuda.Event.from_ipc_handle: events are not shared with other processes")
