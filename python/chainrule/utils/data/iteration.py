"""One pass over a DataLoader's dataset, in this process or with workers."""

from __future__ import annotations

import itertools
import multiprocessing
from typing import TYPE_CHECKING, Any

from ...cuda.devices import is_available
from ...error_words import at_call
from ...user_warning import warn_user
from .fetch import Source
from .pin_memory import pin_memory
from .sampler import fresh_seed
from .worker import Answer, Failure, Job, Task
from .worker_pool import WorkerPool

if TYPE_CHECKING:
    from .dataloader import DataLoader


class Iteration:
    """What both kinds have in common: the sampler, the seed and the warnings."""

    def __init__(self, loader: DataLoader):
        if loader.pin_memory and loader.pin_memory_device:
            warn_user(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                f"ignore pin_memory_device='{loader.pin_memory_device}'."
            )
        self._pins = loader.pin_memory and is_available()
        if loader.pin_memory and not self._pins:
            warn_user(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used."
            )
        self._num_workers = loader.num_workers
        # The attributes have PyTorch's names: fastai hands in a loader of its own.
        iterable = bool(loader._dataset_kind)
        self._source = Source(loader.dataset, iterable, loader._auto_collation, loader.collate_fn, loader.drop_last)
        self._index_sampler = loader._index_sampler
        self._restart(loader)
        self._base_seed = fresh_seed(loader.generator)  # after the sampler's iterator was made, as in PyTorch

    def _restart(self, loader: DataLoader) -> None:
        self._indices = iter(self._index_sampler)
        self._promised = loader._IterableDataset_len_called
        self._yielded = 0

    def __iter__(self):
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise at_call(NotImplementedError, f"{type(self).__name__} cannot be pickled; pickle the DataLoader")

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        if self._pins:
            data = pin_memory(data)
        self._yielded += 1
        if self._promised is not None and self._source.iterable and self._yielded > self._promised:
            self._warn_of_length(self._promised)
        return data

    def _warn_of_length(self, promised: int) -> None:
        message = (
            f"Length of IterableDataset {self._source.dataset} was reported to be {promised}(when accessing "
            f"len(dataloader)), but {self._yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            message += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker: get_worker_info() says which part is a worker's own."
            )
        warn_user(message)


class SingleProcessIteration(Iteration):
    """Fetches a batch when it is asked for."""

    def __init__(self, loader: DataLoader):
        super().__init__(loader)
        if loader.timeout != 0:
            raise at_call(
                AssertionError, f"timeout={loader.timeout} needs num_workers > 0: without workers nothing waits"
            )
        self._fetch = self._source.fetcher()

    def _next_data(self) -> Any:
        return self._fetch(next(self._indices))


class MultiProcessIteration(Iteration):
    """Hands indices to workers in turn and gives their answers in order."""

    def __init__(self, loader: DataLoader):
        super().__init__(loader)
        self._prefetch = loader.prefetch_factor or 0
        self._persistent = loader.persistent_workers
        self._in_order = loader.in_order
        context = loader.multiprocessing_context or multiprocessing.get_context()
        job = Job(self._source, self._num_workers, self._base_seed, loader.worker_init_fn)
        self._pool = WorkerPool(context, job, loader.timeout)
        self._sent = 0  # tasks ever sent; their numbers never repeat, so old answers are known as such
        self._begin(loader)

    def start_over(self, loader: DataLoader) -> None:
        """A new pass with the same workers."""
        for worker in range(self._num_workers):
            self._pool.send(worker, Task(start_over=True))
        self._begin(loader)

    def _begin(self, loader: DataLoader) -> None:
        self._restart(loader)
        self._next = self._sent  # the task whose answer is due
        self._worker_of: dict[int, int] = {}  # tasks without an answer
        self._answers: dict[int, Any] = {}  # answers that came before their turn
        self._active = [True] * self._num_workers
        self._turns = itertools.cycle(range(self._num_workers))
        for _ in range(self._prefetch * self._num_workers):
            self._send_task()

    @property
    def _workers(self) -> list[Any]:
        return self._pool.processes

    @property
    def broken(self) -> bool:
        """Whether a worker has died, so that no pass can follow."""
        return bool(self._pool.death)

    # ---- sending

    def _choose_worker(self) -> int | None:
        """The next in turn that still has data; without order, one that has not too much to do."""
        load = list(self._worker_of.values())
        for worker in itertools.islice(self._turns, self._num_workers):
            limit = self._prefetch * self._num_workers // max(sum(self._active), 1)
            if self._active[worker] and (self._in_order or load.count(worker) < limit):
                return worker
        return None

    def _send_task(self) -> None:
        index = next(self._indices, self)
        worker = None if index is self else self._choose_worker()
        if worker is None:
            return
        self._pool.send(worker, Task(self._sent, index))
        self._worker_of[self._sent] = worker
        self._sent += 1

    # ---- receiving

    def _take(self, data: Any) -> Any:
        self._send_task()
        if isinstance(data, Failure):
            data.raise_again()
        return data

    def _end_of(self, worker: int) -> None:
        """An iterable dataset's copy in a worker has no more; the tasks that it had left are void."""
        self._active[worker] = False
        if not self._persistent:
            self._pool.retire(worker)
        for number in [number for number, whose in self._worker_of.items() if whose == worker]:
            del self._worker_of[number]
        self._send_task()

    def _file(self, answer: Answer) -> None:
        if answer.number not in self._worker_of:
            return  # of a pass that was given up
        if answer.ended:
            self._end_of(self._worker_of[answer.number])
        else:
            del self._worker_of[answer.number]
            self._answers[answer.number] = answer.data

    def _next_data(self) -> Any:
        while True:
            if self._answers and not self._in_order:
                return self._take(self._answers.pop(min(self._answers)))
            while self._next < self._sent and self._next not in self._worker_of:
                self._next += 1
                if self._next - 1 in self._answers:
                    return self._take(self._answers.pop(self._next - 1))
            if not self._worker_of:
                self._finish()
            self._file(self._pool.receive())

    def _finish(self) -> None:
        if not self._persistent:
            self._pool.close()
        raise StopIteration
