"""The times of operations: a watcher of every call, and hooks on the nodes that the calls record."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .._core import Tensor
from ..watchers import unwatch, watch
from .events import FunctionEvent

__all__ = ["Tracer", "record_function"]

_LIBRARY = os.path.dirname(os.path.dirname(__file__)) + os.sep


class Tracer:
    """Collects events from start() to stop()."""

    running: Tracer | None = None

    def __init__(self, shapes: bool = False, memory: bool = False, stack: bool = False) -> None:
        self._shapes, self._memory, self._stack = shapes, memory, stack
        self.events: list[FunctionEvent] = []
        self._open = threading.local()
        self._hooks: list[Any] = []
        self.began = self.ended = 0.0

    def start(self) -> None:
        """From now on calls are timed."""
        if Tracer.running is not None:
            raise RuntimeError("Profiler is already enabled on this thread")
        Tracer.running = self
        self.began = _now()
        watch(self._call)

    def stop(self) -> None:
        """No call is timed any more."""
        unwatch(self._call)
        Tracer.running = None
        self.ended = _now()
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()

    # ---- ranges

    def enter(self, name: str, **details: Any) -> FunctionEvent:
        """Opens a range within the one that is open in this thread."""
        stack = self._ranges()
        event = FunctionEvent(name, _now(), threading.get_ident(), parent=stack[-1] if stack else None, **details)
        stack.append(event)
        return event

    def leave(self, event: FunctionEvent) -> None:
        """Closes a range, and those within it that an exception left open."""
        event.end = _now()
        stack = self._ranges()
        while stack and stack.pop() is not event:
            pass
        if event.parent is not None:
            event.parent.within += event.end - event.start
        self.events.append(event)

    def _ranges(self) -> list[FunctionEvent]:
        if not hasattr(self._open, "ranges"):
            self._open.ranges = []
        return self._open.ranges

    # ---- operations

    def _call(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        event = self.enter(f"aten::{getattr(function, '__name__', '?').strip('_')}")
        if self._shapes:
            event.input_shapes = [list(a.shape) if isinstance(a, Tensor) else [] for a in args]
        if self._stack:
            event.stack = _lines()
        try:
            result = function(*args, **kwargs)
            for tensor in _tensors(result):
                tensor.data_ptr()  # large elementwise operations wait until somebody looks
        finally:
            self.leave(event)
        for tensor in _tensors(result):
            if tensor.grad_fn is not None:
                self._watch_node(tensor.grad_fn)
        if self._memory:
            known = {a.untyped_storage().data_ptr() for a in _tensors(args)}
            fresh = {s.data_ptr(): s.nbytes() for s in (t.untyped_storage() for t in _tensors(result))}
            event.cpu_memory_usage = sum(size for place, size in fresh.items() if place not in known)
        return result

    def _watch_node(self, node: Any) -> None:
        if "profiled" in node.metadata:
            return
        node.metadata["profiled"] = True
        opened: list[FunctionEvent] = []

        def before(*gradients: Any) -> None:
            if Tracer.running is self:
                opened.append(self.enter(node.name()))

        def after(*gradients: Any) -> None:
            if opened:
                self.leave(opened.pop())

        self._hooks += [node.register_prehook(before), node.register_hook(after)]


class record_function(contextlib.ContextDecorator):  # noqa: N801
    """A block with a name, which a profile shows; also a decorator.

    >>> with torch.autograd.profiler.record_function("a step"):
    ...     y = torch.ones(2) + 1
    """

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        self._tracer = Tracer.running
        self._event = self._tracer.enter(self.name) if self._tracer is not None else None
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._tracer is not None and self._event is not None:
            self._tracer.leave(self._event)


def _now() -> float:
    """Microseconds."""
    return time.perf_counter_ns() / 1000


def _tensors(value: Any) -> list[Tensor]:
    return [t for t in (value if isinstance(value, (tuple, list)) else (value,)) if isinstance(t, Tensor)]


def _lines() -> list[str]:
    """The lines that run, without those of chainrule, the innermost first."""
    found, frame = [], sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_LIBRARY):
            found.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found
