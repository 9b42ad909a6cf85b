"""DataLoader: batches of a dataset's samples, fetched here or by worker processes."""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from ..._core import Generator
from ...compat.refusal import refused
from ...error_words import at_call
from ...user_warning import warn_user
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .iteration import Iteration as _BaseDataLoaderIter  # noqa: F401  (PyTorch's names, for who asks isinstance)
from .iteration import MultiProcessIteration, SingleProcessIteration
from .iteration import MultiProcessIteration as _MultiProcessingDataLoaderIter  # noqa: F401
from .iteration import SingleProcessIteration as _SingleProcessDataLoaderIter  # noqa: F401
from .sampler import BatchSampler, InfiniteSampler, RandomSampler, Sampler, SequentialSampler
from .sampler import InfiniteSampler as _InfiniteConstantSampler  # noqa: F401
from .worker import get_worker_info  # noqa: F401

__all__ = ["DataLoader", "default_collate", "default_convert"]

T_co = TypeVar("T_co", covariant=True)
_worker_init_fn_t = Callable[[int], None]
_collate_fn_t = Callable[[list[Any]], Any]
_OWN = "chainrule's DataLoader has iterators of its own, from which torchdata's cannot be derived"
_sharding_worker_init_fn = refused("utils.data.dataloader._sharding_worker_init_fn", _OWN)
_FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}


class _DatasetKind:
    """How samples are found: by their indices, or one after the other."""

    Map, Iterable = 0, 1
    create_fetcher = staticmethod(refused("utils.data.dataloader._DatasetKind.create_fetcher", _OWN))


class DataLoader(Generic[T_co]):
    """Iterates over a dataset in batches.

    Args:
        dataset: gives samples by index, or is an IterableDataset.
        batch_size: samples per batch; None gives single samples.
        shuffle: whether each pass takes the samples in another random order.
        sampler: gives the indices in its own order; instead of shuffle.
        batch_sampler: gives lists of indices; instead of batch_size, shuffle, sampler and drop_last.
        num_workers: how many processes fetch samples; 0 fetches them here.
        collate_fn: makes a batch of a list of samples.
        pin_memory: whether batches are put into pinned memory, from which a GPU copies by itself.
        drop_last: whether a last batch with fewer samples is left out.
        timeout: seconds to wait for a batch from a worker; 0 is for ever.
        worker_init_fn: called in each worker with its number, before anything is fetched.
        multiprocessing_context: how workers start: "fork", "spawn", "forkserver", or a context of multiprocessing.
        generator: of the random order and of the workers' seeds.
        prefetch_factor: how many batches each worker fetches ahead; 2 if None.
        persistent_workers: whether the workers live on after a pass over the dataset.
        pin_memory_device: changes nothing.
        in_order: whether batches come in the order of the sampler, or as they get ready.

    >>> list(torch.utils.data.DataLoader([1., 2., 3.], batch_size=2))
    [tensor([1., 2.], dtype=torch.float64), tensor([3.], dtype=torch.float64)]
    """

    _initialised = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: str | BaseContext | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ):
        _check_processes(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        if self._dataset_kind == _DatasetKind.Iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise at_call(ValueError, "sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise at_call(
                    ValueError,
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last",
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise at_call(
                ValueError, "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            sampler = self._default_sampler(bool(shuffle), generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self._IterableDataset_len_called: int | None = None  # what len(dataset) said, of an iterable dataset
        self._iterator: MultiProcessIteration | None = None
        self._initialised = True
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle: bool, generator: Generator | None) -> Sampler:
        if self._dataset_kind == _DatasetKind.Iterable:
            return InfiniteSampler()
        return RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._initialised and name in _FIXED:
            raise at_call(ValueError, f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """How workers start; None is multiprocessing's default."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers == 0:
            raise at_call(
                ValueError,
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={self.num_workers}",
            )
        if isinstance(context, str):
            valid = multiprocessing.get_all_start_methods()
            if context not in valid:
                raise at_call(
                    ValueError,
                    f"multiprocessing_context option should specify a valid start method in {valid!r}, but got "
                    f"multiprocessing_context={context!r}",
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, BaseContext):
            raise at_call(
                TypeError,
                "multiprocessing_context option should be a valid context object or a string specifying the start "
                f"method, but got multiprocessing_context={context}",
            )
        self._context = context

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0:
            return SingleProcessIteration(self)
        if not self.persistent_workers:
            self.check_worker_number_rationality()
            return MultiProcessIteration(self)
        if self._iterator is None or self._iterator.broken:
            self.check_worker_number_rationality()
            self._iterator = MultiProcessIteration(self)
        else:
            self._iterator.start_over(self)
        return self._iterator

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warns of more workers than there are processors for this process."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self.num_workers > available:
            warn_user(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number "
                f"of worker in current system is {available}, which is smaller than what this DataLoader is going to "
                "create. Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary."
            )


def _check_processes(num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    if num_workers < 0:
        raise at_call(
            ValueError,
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing. "
            f"It is {num_workers}.",
        )
    if timeout < 0:
        raise at_call(ValueError, f"timeout option should be non-negative, not {timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        raise at_call(
            ValueError,
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.",
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise at_call(ValueError, f"prefetch_factor option should be non-negative, not {prefetch_factor}")
    if persistent and num_workers == 0:
        raise at_call(ValueError, "persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    given = {
        "shuffle": None if shuffle is False else shuffle,
        "sampler": sampler,
        "batch_sampler": batch_sampler,
    }
    for name, value in given.items():
        if value is not None:
            raise at_call(
                ValueError,
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}",
            )
