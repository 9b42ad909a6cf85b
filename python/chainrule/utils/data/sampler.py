"""Samplers: the order in which a dataset's samples are taken. With the same seed it is PyTorch's."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ..._core import Generator, Tensor, float64, functions, int64
from ...error_words import at_call

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


def fresh_seed(generator: Generator | None = None) -> int:
    """A seed drawn from `generator`, or from the default one."""
    return functions["empty"]((), dtype=int64).random_(generator=generator).item()


def _check_count(name: str, value: Any, bools: bool = False) -> None:
    if not isinstance(value, int) or (isinstance(value, bool) and not bools) or value <= 0:
        raise at_call(ValueError, f"{name} should be a positive integer value, but got {name}={value}")


class Sampler(Generic[T_co]):
    """Gives indices, or lists of them, when iterated over: subclasses define __iter__ and mostly __len__.

    >>> class EverySecond(torch.utils.data.Sampler):
    ...     def __iter__(self):
    ...         return iter([0, 2])
    >>> list(torch.utils.data.DataLoader([5, 6, 7], sampler=EverySecond()))
    [tensor([5]), tensor([7])]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices in order.

    >>> list(torch.utils.data.SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized):
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order.

    Args:
        data_source: what is sampled from; only its length counts.
        replacement: whether an index may come more than once.
        num_samples: how many to draw; the data source's length if None.
        generator: of the random numbers. If None, each pass takes a fresh one, seeded by the default generator.

    >>> sorted(torch.utils.data.RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise at_call(TypeError, f"replacement should be a boolean value, but got replacement={replacement}")
        _check_count("num_samples", self.num_samples, bools=True)

    @property
    def num_samples(self) -> int:
        """How many indices one pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(fresh_seed())
        if self.replacement:
            for start in range(0, self.num_samples, 32):  # in portions of 32, as PyTorch draws them
                count = min(32, self.num_samples - start)
                yield from functions["randint"](n, (count,), generator=generator).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from functions["randperm"](n, generator=generator).tolist()
            yield from functions["randperm"](n, generator=generator).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    >>> sorted(torch.utils.data.SubsetRandomSampler([4, 7]))
    [4, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None):
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in functions["randperm"](len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices with given probabilities.

    Args:
        weights: one per index; they need not sum to 1.
        num_samples: how many to draw.
        replacement: whether an index may come more than once.
        generator: of the random numbers.

    >>> list(torch.utils.data.WeightedRandomSampler([0., 1.], num_samples=3))
    [1, 1, 1]
    """

    weights: Tensor

    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ):
        _check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise at_call(ValueError, f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = functions["as_tensor"](weights, dtype=float64)
        if self.weights.dim() != 1:
            shape = tuple(self.weights.shape)
            raise at_call(ValueError, f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = functions["multinomial"](self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of indices from another sampler.

    Args:
        sampler: gives the indices; any iterable.
        batch_size: how many a list has.
        drop_last: whether a last list with fewer is left out.

    >>> list(torch.utils.data.BatchSampler(range(3), batch_size=2, drop_last=False))
    [[0, 1], [2]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool):
        _check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise at_call(ValueError, f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class InfiniteSampler(Sampler[None]):
    """None forever: an iterable dataset decides itself what comes and when it ends."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)
