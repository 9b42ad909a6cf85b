"""Marks for NVIDIA's profiler: nobody sees them but one that the program runs under."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from typing import Any

from .devices import device_count
from .setup import library_folders

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]
_REASON = "NVTX functions not installed: chainrule runs on the CPU"


@functools.cache
def _library() -> ctypes.CDLL | None:
    """NVIDIA's library of marks; None where it is not installed, which a profiler brings."""
    for place in (*(f"{folder}/" for folder in library_folders()), ""):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(f"{place}libnvToolsExt.so.1")
    return None


_depth = 0
_ranges = 0


def _called(name: str, theirs: str, *args: Any) -> int | None:
    """What NVIDIA's function gives; None where there is no library."""
    if not device_count():
        raise RuntimeError(f"torch.cuda.nvtx.{name}: {_REASON}")
    library = _library()
    if library is None:
        return None
    function = getattr(library, theirs)
    function.restype = ctypes.c_uint64 if name == "range_start" else ctypes.c_int
    return function(*args)


def range_push(msg: str) -> int:
    """Begins a range inside those that have begun; gives its depth, from 0 on."""
    global _depth
    found = _called("range_push", "nvtxRangePushA", msg.encode())
    _depth += 1
    return _depth - 1 if found is None else found


def range_pop() -> int:
    """Ends the innermost range; gives its depth."""
    global _depth
    found = _called("range_pop", "nvtxRangePop")
    _depth = max(_depth - 1, 0)
    return _depth if found is None else found


def range_start(msg: str) -> int:
    """Begins a range that may end anywhere; gives its number."""
    global _ranges
    found = _called("range_start", "nvtxRangeStartA", msg.encode())
    _ranges += 1
    return _ranges if found is None else found


def range_end(range_id: int) -> None:
    """Ends the range of that number."""
    _called("range_end", "nvtxRangeEnd", ctypes.c_uint64(range_id))


def mark(msg: str) -> None:
    """Marks a moment."""
    _called("mark", "nvtxMarkA", msg.encode())


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A block or, as a decorator, a function between two marks."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
