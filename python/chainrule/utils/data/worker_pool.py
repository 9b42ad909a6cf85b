"""Starting worker processes, talking to them, and seeing to it that none is left over."""

from __future__ import annotations

import importlib
import os
import select
import signal
import sys
import time
import weakref
from collections import deque
from pickle import PicklingError
from typing import Any

from ...error_words import at_call
from ...user_warning import warn_user
from .channel import Channel, open_channel
from .worker import Answer, Job, Task, work

_GRACE = 5.0  # seconds that workers have to finish what they are doing once they are no longer needed


def _stop(processes: list[Any], channels: list[Channel], owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy in a forked process: the workers are not its children
    for channel in channels:
        channel.close()
    deadline = time.monotonic() + _GRACE
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    for end in ("terminate", "kill"):
        for process in processes:
            if process.is_alive():
                getattr(process, end)()
                process.join(1.0)


class WorkerPool:
    """The worker processes of one loader.

    Args:
        context: of multiprocessing; says how processes start.
        job: what the workers do.
        timeout: seconds to wait for an answer; 0 is for ever.
    """

    def __init__(self, context: Any, job: Job, timeout: float):
        self._timeout = timeout
        self.death = ""  # how a worker died that should not have
        self._poll = select.poll()
        self.processes: list[Any] = []
        self._channels: list[Channel] = []
        self._unsent: list[deque[Task]] = [deque() for _ in range(job.num_workers)]
        self._of_descriptor: dict[int, int] = {}
        self.close = weakref.finalize(self, _stop, self.processes, self._channels, os.getpid())
        if "numpy" in sys.modules:
            importlib.import_module("numpy.random")  # which the workers seed: once here, not once in each
        try:
            for number in range(job.num_workers):
                self._start(context, job, number)
        except BaseException:
            self.close()
            raise

    def _start(self, context: Any, job: Job, number: int) -> None:
        ours, theirs = open_channel()
        self._channels.append(ours)
        process = context.Process(target=work, args=(theirs, job, number), daemon=True)
        try:
            process.start()
        except (TypeError, AttributeError, PicklingError):
            warn_user(
                "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                "arguments are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX "
                "platforms to 'forkserver', which requires the worker Process arguments to be picklable. You can also "
                "try multiprocessing.set_start_method('fork')."
            )
            raise
        theirs.close()
        self.processes.append(process)
        for descriptor in (ours.fileno(), process.sentinel):
            self._of_descriptor[descriptor] = number
            self._poll.register(descriptor, select.POLLIN)

    def send(self, number: int, task: Task) -> None:
        """Gives a worker something to do."""
        # This never waits: a worker that waits for us to take its answers would not read, and both would wait for ever.
        self._unsent[number].append(task)
        self._flush(number)

    def _flush(self, number: int) -> None:
        unsent = self._unsent[number]
        try:
            while unsent and self._channels[number].send(unsent[0], wait=False):
                unsent.popleft()
        except (BrokenPipeError, ConnectionResetError):
            unsent.clear()  # it is dead, which the next receive() will report
        # The rest goes when there is room. Not at its next answer: a worker that has ended gives none, and a new pass
        # may be waiting behind what it was still to do.
        self._poll.modify(self._channels[number].fileno(), select.POLLIN | (select.POLLOUT if unsent else 0))

    def receive(self) -> Answer:
        """The next answer of any worker; raises if one has died or if it takes too long."""
        if self.death:
            raise at_call(RuntimeError, self.death)
        number = self._wait()
        try:
            answer = self._channels[number].receive(wait=False)
        except (EOFError, ConnectionResetError, BlockingIOError):  # the last: the process ended, its channel is held
            self.death = self._death_of(self.processes[number])
            self.close()
            raise at_call(RuntimeError, self.death) from None
        self._flush(number)
        return answer

    def _wait(self) -> int:
        """The first worker that has something to say; meanwhile the others get what they are still to do."""
        while True:
            ready = self._poll.poll(self._timeout * 1000 if self._timeout else None)
            if not ready:
                raise at_call(RuntimeError, f"DataLoader timed out after {self._timeout} seconds")
            for descriptor, events in ready:
                if events & ~select.POLLOUT:
                    return self._of_descriptor[descriptor]
                self._flush(self._of_descriptor[descriptor])

    def _death_of(self, process: Any) -> str:
        process.join(1.0)
        code = process.exitcode
        if code is not None and code < 0:
            name = signal.strsignal(-code) or str(-code)
            return f"DataLoader worker (pid {process.pid}) is killed by signal: {name}. "
        return (
            f"DataLoader worker (pid(s) {process.pid}) exited unexpectedly, with exit code {code}. An exception that "
            "is no Exception, sys.exit() for example, ends a worker without a word."
        )

    def retire(self, number: int) -> None:
        """Sends a worker home that has nothing more to do."""
        for descriptor in [at for at, which in self._of_descriptor.items() if which == number]:
            self._poll.unregister(descriptor)
            del self._of_descriptor[descriptor]
        self._unsent[number].clear()
        self._channels[number].close()
