"""What is under way between processes: a handle to ask, to wait for, and to keep memory alive by."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Tensor
from ..futures import Future
from .errors import DistBackendError
from .failure import check_company
from .launchers import told
from .mpi import library

if TYPE_CHECKING:
    from .process_group import ProcessGroup

"""Every collective is started without blocking, also when the caller wants to wait for it: the wait is a loop of tests.
So Ctrl-C works, there is a time limit, a peer that left is noticed, and processes that share a core do not hold each
other up by spinning. MPI moves data only while it is called. A test that has calculated for longer than looking takes
has moved some, so the loop goes on at once; after a while in which nothing moved it sleeps between tests. Only where
processes outnumber the cores does it offer its core to others before: on a busy machine that costs milliseconds.
"""

_SPIN = 1e-4  # seconds without news before the first sleep
_BUSY = 1e-5  # a test that takes longer has moved data
_PAUSE = 1 / 16  # of the time without news: a sleep, so that the last one adds little to the wait
_LONGEST = 2e-3  # seconds
_LOOK = 0.1  # seconds between looks at who is still there
_pending: dict[int, Work] = {}  # MPI writes into their memory, so they live until they are done


@functools.cache
def _shares_cores() -> bool:
    """Whether there are more processes on this machine than cores."""
    count = told(os.environ).get("LOCAL_WORLD_SIZE", "1")
    return not count.isdecimal() or int(count) > (os.cpu_count() or 1)


class Work:
    """Something that was started and may not be finished: what async_op=True, isend() and irecv() return.

    Args:
        name: of the collective, for errors.
        group: its processes.
        request: MPI's handle.
        memory: tensors that MPI reads or writes.
        finish: called once when MPI is done, to put results where they belong.
    """

    def __init__(
        self,
        name: str,
        group: ProcessGroup,
        request: Any,
        memory: tuple[Tensor, ...] = (),
        finish: Callable[[], None] | None = None,
        outputs: tuple[Tensor, ...] = (),
    ):
        self.name, self._group, self._request = name, group, request
        self._memory, self._finish, self._outputs = memory, finish, outputs
        self._status: Any = None
        self._error: Exception | None = None
        self._future: Future[list[Tensor]] | None = None
        for tensor in outputs:
            _core.increment_version(tensor)
        if len(_pending) > 64:  # handles that nobody asks any more
            progress()
        _pending[id(self)] = self

    def is_completed(self) -> bool:
        """Whether it is done; asking moves data."""
        if self._request is None:
            return True
        mpi = library()
        status = mpi.Status()
        try:
            if not self._request.Test(status):
                return False
        except mpi.Exception as error:
            self._end(DistBackendError(f"{self.name}: MPI reports: {error}"))
            return True
        self._status = status
        self._end(None)
        return True

    def _end(self, error: Exception | None) -> None:
        self._request, self._error = None, error
        _pending.pop(id(self), None)
        if error is None and self._finish is not None:
            self._finish()
        self._finish, self._memory = None, ()
        self._settle_future()

    def get_future(self) -> Future[list[Tensor]]:
        """A future of result(). Asking it, or one that then() made of it, moves data as asking the handle does."""
        if self._future is None:
            self._future = _Arrival(self)
            if self._request is None:
                self._settle_future()
        return self._future

    def _settle_future(self) -> None:
        if self._future is None:
            return
        if self._error is None:
            self._future.set_result(self.result())
        else:
            self._future.set_exception(self._error)  # type: ignore[arg-type]

    def advance(self) -> bool:
        """Moves all that can be moved now, without waiting; gives whether it is done."""
        while True:
            spent = time.thread_time()
            if self.is_completed():
                return True
            if time.thread_time() - spent < _BUSY:
                return False

    def is_success(self) -> bool:
        """Whether it is done, without an error."""
        return self.is_completed() and self._error is None

    def exception(self) -> Exception | None:
        """What went wrong, if anything did."""
        return self._error

    def result(self) -> list[Tensor]:
        """The tensors that the results are in."""
        return list(self._outputs)

    def source_rank(self) -> int:
        """The sender, in the group; for what irecv() returned."""
        return self._status.Get_source() if self._status is not None else -1

    _source_rank = source_rank

    def synchronize(self) -> None:
        """Waits, as wait() does."""
        self.wait()

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Waits until it is done; see above.

        Args:
            timeout: at most so long; without it, the group's time limit.
        """
        if not self.is_completed():
            self._poll(timeout or self._group.timeout)
        if self._error is not None:
            raise self._error
        return True

    def _poll(self, limit: timedelta) -> None:
        began = moved = looked = time.perf_counter()
        while True:
            spent = time.thread_time()  # not the clock: the core may have been given to somebody else meanwhile
            if self.is_completed():
                return
            spent, now = time.thread_time() - spent, time.perf_counter()
            if spent > _BUSY:
                moved = now
            if now - looked > _LOOK:
                looked = now
                self._check_limits(now - began, limit)
            if now - moved > _SPIN:
                time.sleep(min((now - moved) * _PAUSE, _LONGEST))
            elif _shares_cores():
                os.sched_yield()

    def _check_limits(self, waited: float, limit: timedelta) -> None:
        """Raises if a process of the group is gone, or the time is over."""
        check_company(self.name, self._group.ranks)
        if waited > limit.total_seconds():
            raise DistBackendError(
                f"Timed out waiting {limit.total_seconds() * 1000:.0f}ms for {self.name} on rank "
                f"{self._group.rank()} of {self._group.size()}: not all processes of the group came to it"
            )


class _Arrival(Future[list[Tensor]]):
    """The results of something under way."""

    def __init__(self, work: Work):
        super().__init__()
        self._work = work

    def _advance(self, until_done: bool) -> None:
        if not until_done:
            self._work.is_completed()
        elif not self._future.done():
            try:
                self._work.wait()
            except DistBackendError:
                if not self._future.done():  # the time limit: nothing came
                    raise


def progress() -> bool:
    """Moves everything that is under way; gives whether something still is."""
    for work in list(_pending.values()):
        work.is_completed()
    return bool(_pending)
