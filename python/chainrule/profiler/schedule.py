"""At which steps a profile records, and what happens with the trace when it is ready."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from enum import Enum
from typing import Any

__all__ = ["ProfilerAction", "ProfilerActivity", "schedule", "supported_activities", "tensorboard_trace_handler"]


class ProfilerActivity(Enum):
    """What PyTorch's profiler can look at; here it is the CPU.

    >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
    True
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


def supported_activities() -> set[ProfilerActivity]:
    """The CPU."""
    return {ProfilerActivity.CPU}


class ProfilerAction(Enum):
    """What a profile does during a step.

    >>> torch.profiler.ProfilerAction.RECORD.value
    2
    """

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Cycles of steps: `wait` without, `warmup` that are not kept, `active` that are; `repeat` cycles, or 0 for no end.

    Args:
        wait, warmup, active: steps of a cycle.
        repeat: how many cycles.
        skip_first: steps before the first cycle.
        skip_first_wait: 1 if the first cycle does not wait.

    >>> steps = torch.profiler.schedule(wait=1, warmup=1, active=1)
    >>> [steps(i).name for i in range(3)]
    ['NONE', 'WARMUP', 'RECORD_AND_SAVE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler schedule arguments")
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            step += wait
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == cycle - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[Any], None]:
    """For on_trace_ready: writes each trace into the folder, under the names that TensorBoard's plug-in looks for."""
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def write(profile: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        profile.export_chrome_trace(os.path.join(dir_name, name))

    return write
