"""torch.multiprocessing: Python's multiprocessing, and spawn(). Tensors are copied unless they were shared."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

__path__: list[str] = []  # a package: compat/stand_ins.py has its files
_STRATEGIES = ["file_descriptor", "file_system"]  # the first is the current one


def get_all_sharing_strategies() -> set[str]:
    """PyTorch's ways to name shared memory. Here both mean the same: an open file without a name."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The one that was set."""
    return _STRATEGIES[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Sets what get_sharing_strategy() gives."""
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"Expected sharing strategy to be one of {set(_STRATEGIES)}, but got {new_strategy!r}")
    _STRATEGIES.sort(key=lambda name: name != new_strategy)


class ProcessRaisedException(Exception):  # noqa: N818
    """A process that spawn() started raised."""


class ProcessExitedException(Exception):  # noqa: N818
    """A process that spawn() started ended with an error."""


class ProcessContext:
    """The processes that spawn(join=False) started."""

    def __init__(self, processes: list[Any], errors: list[Any]):
        self.processes, self._errors = processes, errors

    def pids(self) -> list[int]:
        """The processes' numbers."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until all have ended; the first that fails ends the others and raises here."""
        from multiprocessing.connection import wait

        running = {process.sentinel: index for index, process in enumerate(self.processes) if process.is_alive()}
        for sentinel in wait(running.keys(), timeout) if running else []:
            index = running.pop(sentinel)  # type: ignore[arg-type]
            self.processes[index].join()  # it has let its files go, but may not have its exit code yet
        for index, process in enumerate(self.processes):
            if process.exitcode not in (None, 0):
                self._fail(index, process)
        return not running

    def _fail(self, index: int, process: Any) -> None:
        for other in self.processes:
            if other.is_alive():
                other.terminate()
            other.join()
        if self._errors[index].empty():
            raise ProcessExitedException(f"process {index} terminated with exit code {process.exitcode}")
        text = f"\n\n-- Process {index} terminated with the following error:\n{self._errors[index].get()}"
        raise ProcessRaisedException(text)


SpawnContext = ProcessContext


def _run(fn: Callable, index: int, args: tuple, errors: Any) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        import sys
        import traceback

        errors.put(traceback.format_exc())
        sys.exit(1)


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Calls fn(i, *args) in `nprocs` processes; an error in one of them ends all and is raised here."""
    context: Any = multiprocessing.get_context(start_method)
    errors = [context.SimpleQueue() for _ in range(nprocs)]
    processes = [
        context.Process(target=_run, args=(fn, index, args, errors[index]), daemon=daemon) for index in range(nprocs)
    ]
    for process in processes:
        process.start()
    result = ProcessContext(processes, errors)
    if not join:
        return result
    while not result.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """start_processes() with the method "spawn"."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def _set_thread_name(name: str) -> None:
    """Does nothing: threads keep Python's names."""
