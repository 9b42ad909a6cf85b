"""What happens when a process raises, dies or leaves while others wait: the whole job ends, and says why."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from .errors import DistBackendError
from .mpi import library
from .source_line import caller

"""What becomes of a job whose process ends.

- A process that raises prints its error with its rank and aborts the job (`report_and_abort`, the exception hook).
- A process that dies is noticed by mpirun or srun, which end the others.
- A process that ends in peace says goodbye to all others (`farewell`, at exit) and stays until they have done so too,
  because MPI may still need it to finish what others wait for. Whoever waits for something looks for goodbyes now and
  then (`check_company`): if somebody in the group is gone and it does not come within the grace period, it never will.
"""

GRACE = 3.0  # seconds that a message may still be on its way after its sender has left
_GOODBYE = 1  # the tag


class _Company:
    """The other processes of this job, and which of them have left."""

    def __init__(self) -> None:
        self.control: Any = None  # a communicator for goodbyes alone
        self.owner = -1  # the process that made it: one that is forked from it must not touch MPI
        self.gone: dict[int, float] = {}  # by rank, since when
        self.progress: Callable[[], bool] = lambda: False
        self.is_ending = False


_company = _Company()


def join(world: Any, progress: Callable[[], bool]) -> None:
    """Begins to watch; called by the first init_process_group().

    Args:
        world: the communicator of all processes.
        progress: moves what is under way and tells whether something still is; peers need it while this one leaves.
    """
    if _company.control is not None:
        return
    _company.control = world.Dup()
    _company.owner = os.getpid()
    _company.progress = progress
    previous = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if os.getpid() != _company.owner or library().Is_finalized():
            previous(kind, error, traceback)
        else:
            report_and_abort(previous, kind, error, traceback)

    sys.excepthook = hook
    atexit.register(farewell)


def is_in_company() -> bool:
    """Whether there are other processes that this one could leave waiting."""
    alive = os.getpid() == _company.owner and not _company.is_ending and not library().Is_finalized()
    return alive and _company.control.size > 1


def report_and_abort(
    report: Callable[..., Any], kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Prints an error with its rank, then ends all processes of the job."""
    control = _company.control
    if control.size > 1:
        sys.stderr.write(f"chainrule: rank {control.rank} of {control.size} raised, so the job ends:\n")
    report(kind, error, traceback)
    abort()


def abort(code: int = 1) -> None:
    """Ends all processes of the job now, after what was printed had time to arrive."""
    _company.is_ending = True
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    time.sleep(0.5)
    library().COMM_WORLD.Abort(code)
    os._exit(code)  # MPICH comes back and leaves the end to mpirun


def check_company(name: str, ranks: Sequence[int]) -> None:
    """Raises if one of these has left, so that what is waited for cannot come any more.

    Args:
        name: of what is waited for.
        ranks: of the group, in the world.
    """
    _receive_goodbyes()
    lost = [rank for rank in ranks if time.monotonic() - _company.gone.get(rank, float("inf")) > GRACE]
    if lost:
        which = f"rank {lost[0]} has" if len(lost) == 1 else f"ranks {', '.join(map(str, lost))} have"
        raise DistBackendError(
            f"{which} ended, but rank {_company.control.rank} still waits in {name} at {caller()}.\n"
            "  Every process has to call the same collectives in the same order, and as often as the others."
        )


def _receive_goodbyes() -> None:
    control = _company.control
    mpi = library()
    status = mpi.Status()
    while control.Iprobe(source=mpi.ANY_SOURCE, tag=_GOODBYE, status=status):
        control.Recv([bytearray(1), mpi.BYTE], source=status.Get_source(), tag=_GOODBYE)
        _company.gone.setdefault(status.Get_source(), time.monotonic())


def farewell() -> None:
    """Leaves the job: says goodbye, waits until all others have left, ends MPI. See above."""
    mpi = library()
    if os.getpid() != _company.owner or mpi.Is_finalized():
        return
    control = _company.control
    for stream in (sys.stdout, sys.stderr):  # a process that waits here has nothing more to say
        with contextlib.suppress(Exception):
            stream.flush()
    others = [rank for rank in range(control.size) if rank != control.rank]
    word = bytearray(1)
    sent = [control.Isend([word, mpi.BYTE], dest=rank, tag=_GOODBYE) for rank in others]
    pause = 1e-4
    while len(_company.gone) < len(others) or not mpi.Request.Testall(sent):
        _receive_goodbyes()
        time.sleep(pause)
        pause = 1e-4 if _company.progress() else min(2 * pause, 0.02)
    mpi.Finalize()
