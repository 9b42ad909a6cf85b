"""Marks for NVIDIA's profiler, which sees nothing here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..compat.refusal import refused

_REASON = "NVTX functions not installed: chainrule runs on the CPU"
mark = refused("cuda.nvtx.mark", _REASON)
range_pop = refused("cuda.nvtx.range_pop", _REASON)
range_push = refused("cuda.nvtx.range_push", _REASON)


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A block or, as a decorator, a function between two marks; raises when it begins."""
    range_push(msg.format(*args, **kwargs))
    yield
