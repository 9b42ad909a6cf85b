"""recording(): keeps every forward value with the time it took and the module that ran it, for explain() to show."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..watchers import unwatch, watch
from .module_calls import ModuleCalls

__all__ = ["Recorded", "recorded", "recording", "unwatched"]

_MOST = 20_000  # operations that are kept; the oldest go first


@dataclass
class Recorded:
    """What is known of one operation."""

    node: Any  # while it is held, its id is no other's
    values: dict[int, tuple[Tensor, int]]  # by output: the value, and its version at that time
    seconds: float
    steps: int  # operations that the same call recorded; the time is that of all of them
    module: Any


class recording:  # noqa: N801
    """Within it, forward values stay known that no gradient needs, and explain() shows how long each step took.

    Every operation costs a few microseconds more, and the values need memory until the block ends.

    >>> import chainrule as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.explain.recording() as kept:
    ...     y = (x * 3).sum()
    >>> len(kept)
    2
    """

    running: recording | None = None

    def __init__(self) -> None:
        self._of: dict[int, Recorded] = {}
        self._calls = ModuleCalls()

    def __len__(self) -> int:
        return len(self._of)

    def __enter__(self) -> recording:
        if recording.running is not None:
            raise at_call(RuntimeError, "recording() is already on")
        recording.running = self
        self._calls.start()
        watch(self._call)
        return self

    def __exit__(self, *exception: Any) -> None:
        recording.running = None
        unwatch(self._call)
        self._calls.stop()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Within it nothing is recorded."""
        unwatch(self._call)
        try:
            yield
        finally:
            if recording.running is self:
                watch(self._call)

    def clear(self) -> None:
        """Forgets what was recorded, as after a backward pass."""
        self._of.clear()

    def find(self, node: Any) -> Recorded | None:
        """What is known of a grad_fn."""
        return self._of.get(id(node))

    def _call(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        before, start = _core.last_node_number(), time.perf_counter()
        result = function(*args, **kwargs)
        if _core.last_node_number() == before:
            return result  # nothing that a gradient could flow through
        found = [t for t in (result if isinstance(result, tuple | list) else (result,)) if isinstance(t, Tensor)]
        for t in found:
            t.data_ptr()  # large elementwise operations wait until somebody looks
        seconds = time.perf_counter() - start
        for t in found:
            if t.grad_fn is not None and t.grad_fn._sequence_nr() > before:
                self._keep(t, seconds, _core.last_node_number() - before)
        return result

    def _keep(self, tensor: Tensor, seconds: float, steps: int) -> None:
        node = tensor.grad_fn
        known = self._of.get(id(node))
        if known is None:
            module = self._calls.running[-1] if self._calls.running else None
            known = self._of[id(node)] = Recorded(node, {}, seconds, steps, module)
        known.values[tensor.output_nr] = (tensor.detach(), tensor._version)
        while len(self._of) > _MOST:
            self._of.pop(next(iter(self._of)))


def recorded(node: Any) -> Recorded | None:
    """What the running recording() knows of a grad_fn."""
    return recording.running.find(node) if recording.running is not None else None


def unwatched() -> contextlib.AbstractContextManager[None]:
    """Within it a running recording() records nothing."""
    return recording.running.paused() if recording.running is not None else contextlib.nullcontext()
