"""The user's functions that are running, and their variables."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

__all__ = ["is_own", "is_own_file", "seen_from", "user_frames", "variables"]

_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep
_left: ContextVar[tuple[FrameType, ...]] = ContextVar("functions that an exception has left", default=())


def user_frames() -> Iterator[FrameType]:
    """The running functions that are not chainrule's own, the innermost first; before them those of seen_from()."""
    yield from _left.get()
    frame = sys._getframe(1)
    while frame is not None:
        if not is_own(frame) and frame not in _left.get():
            yield frame
        frame = frame.f_back


@contextlib.contextmanager
def seen_from(trace: TracebackType | None) -> Iterator[None]:
    """Within it, the functions that an exception has left count as running."""
    frames = []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    before = _left.set(tuple(f for f in reversed(frames) if not is_own(f)))
    try:
        yield
    finally:
        _left.reset(before)


def is_own(frame: FrameType) -> bool:
    """Whether a function is chainrule's."""
    return is_own_file(frame.f_code.co_filename)


def is_own_file(file: str) -> bool:
    """Whether it is one of chainrule's files."""
    return file.startswith(_OWN)


def variables(frame: FrameType) -> dict[str, Any]:
    """A running function's variables.

    Up to Python 3.12 a frame keeps the dict that it shows them in, and with it everything they held at that moment;
    it is emptied again unless somebody else has it.
    """
    shown = frame.f_locals
    found = dict(shown)
    keeps = sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.gettrace() is None
    if keeps and sys.getrefcount(shown) == 3:  # the frame's, ours, and the argument's
        shown.clear()
    return found
