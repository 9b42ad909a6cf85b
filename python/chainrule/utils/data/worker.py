"""What a worker process does: it fetches what it is told to and sends it back, until nobody asks any more."""

from __future__ import annotations

import os
import random
import select
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ..._core import set_num_threads
from ...error_words import at_call
from ...random import manual_seed
from .channel import Channel
from .fetch import Source

_CHECK_INTERVAL = 5.0  # seconds between looks whether the parent lives, should its end of the channel stay open


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Which worker this process is."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker this process is: id, num_workers, seed and dataset; None outside of worker processes.

    >>> torch.utils.data.get_worker_info() is None  # in the main process
    True
    """
    return _info


# ---- messages


class ManagerWatchdog:
    """Whether the process that started this one is still there."""

    def __init__(self) -> None:
        self.manager_pid, self.manager_dead = os.getppid(), False

    def is_alive(self) -> bool:
        """False once it has ended, and from then on."""
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """What a loader of PyTorch's own kind sends when a worker's samples are at an end."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """What such a loader sends to begin anew."""

    seed: int | None = None


@dataclass
class Task:
    """What the parent asks for; `start_over` means a new pass over the dataset, without an answer."""

    number: int = -1
    index: Any = None
    start_over: bool = False


@dataclass
class Answer:
    """What comes back: data, a Failure, or the end of an iterable dataset."""

    number: int
    data: Any = None
    ended: bool = False


class _PlainKey(str):
    """A KeyError shows the repr of its argument; this one is readable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Failure:
    """An exception of a worker with its traceback as text, to be raised in the parent."""

    def __init__(self, error: BaseException, where: str):
        self.type: Any = type(error)
        text = "".join(traceback.format_exception(error))
        self.message = f"Caught {self.type.__name__} {where}.\nOriginal {text}"

    def raise_again(self) -> NoReturn:
        """Raises an exception of the same class; a RuntimeError if it cannot be made from a text."""
        if getattr(self.type, "message", None):
            raise self.type(message=self.message)
        try:
            error = self.type(_PlainKey(self.message) if self.type is KeyError else self.message)
        except Exception:
            raise at_call(RuntimeError, self.message) from None
        raise error


# ---- the process


@dataclass
class Job:
    """What all workers of a loader have in common."""

    source: Source
    num_workers: int
    base_seed: int
    init_fn: Callable | None


def _seed_everything(base_seed: int, worker: int) -> int:
    """Seeds chainrule, random and NumPy as PyTorch does; gives the worker's seed."""
    seed = base_seed + worker
    random.seed(seed)
    manual_seed(seed)
    numpy = sys.modules.get("numpy")  # a dataset that uses it has imported it by now
    if numpy is not None:
        words = [worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
        numpy.random.seed(numpy.random.SeedSequence(words).generate_state(4))
    return seed


def _fetch_nothing(index: Any) -> NoReturn:
    raise at_call(RuntimeError, "the worker was not initialised")


class _Worker:
    def __init__(self, channel: Channel, job: Job, number: int):
        self.channel, self.job, self.number = channel, job, number
        self.fetch: Callable[[Any], Any] = _fetch_nothing
        self.failure: Failure | None = None  # the answer to everything, if there is one
        self.ended = False

    def failed(self, error: BaseException) -> Failure:
        return Failure(error, f"in DataLoader worker process {self.number}")

    def start_over(self) -> None:
        self.ended, self.failure = False, None
        try:
            self.fetch = self.job.source.fetcher()
        except Exception as error:
            self.failure = self.failed(error)

    def initialise(self) -> None:
        global _info
        set_num_threads(1)
        seed = _seed_everything(self.job.base_seed, self.number)
        _info = WorkerInfo(self.number, self.job.num_workers, seed, self.job.source.dataset)
        try:
            if self.job.init_fn is not None:
                self.job.init_fn(self.number)
        except Exception as error:
            self.failure = self.failed(error)
        else:
            self.start_over()

    def answer(self, task: Task) -> Answer:
        if self.failure is not None:
            return Answer(task.number, self.failure)
        try:
            return Answer(task.number, self.fetch(task.index))
        except Exception as error:
            if isinstance(error, StopIteration) and self.job.source.iterable:
                self.ended = True
                return Answer(task.number, ended=True)
            return Answer(task.number, self.failed(error))

    def send(self, answer: Answer) -> None:
        try:
            self.channel.send(answer)
        except OSError:
            raise  # the parent is gone
        except Exception as error:  # the data cannot be pickled, or the class of its exception
            failure = answer.data if isinstance(answer.data, Failure) else self.failed(error)
            failure.type = RuntimeError
            self.channel.send(Answer(answer.number, failure))

    def serve(self) -> None:
        parent = os.getppid()
        poll = select.poll()
        poll.register(self.channel.fileno(), select.POLLIN)
        while True:
            if not poll.poll(_CHECK_INTERVAL * 1000):
                if os.getppid() != parent:
                    return
                continue
            task = self.channel.receive()
            if task.start_over:
                self.start_over()
            elif not self.ended:
                self.send(self.answer(task))


def work(channel: Channel, job: Job, number: int) -> None:
    """The main function of a worker process."""
    worker = _Worker(channel, job, number)
    try:
        worker.initialise()
        worker.serve()
    except (KeyboardInterrupt, EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has its own interrupt, or is gone


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """The words of NumPy's seed in a worker, as PyTorch mixes them."""
    import numpy

    return numpy.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4).tolist()
