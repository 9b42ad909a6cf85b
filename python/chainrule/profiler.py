"""torch.profiler: marks are accepted, profiles are refused; Python's own profilers see chainrule's functions."""

from __future__ import annotations

import contextlib
from typing import Any

from .refusal import refused, refused_class

_REASON = "chainrule has no profiler; python -m cProfile, py-spy or perf show where the time goes"


class record_function(contextlib.ContextDecorator):  # noqa: N801
    """A block with a name, for a profiler that looks."""

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exception: Any) -> None:
        pass


profile = refused_class("profiler.profile", _REASON)
schedule = refused("profiler.schedule", _REASON)
tensorboard_trace_handler = refused("profiler.tensorboard_trace_handler", _REASON)


class ProfilerActivity:
    """What PyTorch's profiler can look at."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)
