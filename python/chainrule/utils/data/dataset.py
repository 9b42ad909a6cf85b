"""Datasets: what gives samples by index or one after the other, and ways to put them together."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ..._core import Generator, Tensor, default_generator, functions
from ...error_words import at_call
from ...user_warning import warn_user

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by index: subclasses define __getitem__, mostly __len__, and perhaps __getitems__ for whole batches.

    >>> class Squares(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 10
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index) -> T_co:
        raise at_call(NotImplementedError, "Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples one after the other: subclasses define __iter__. Each worker process iterates over a copy of its own.

    >>> class Count(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(4))
    >>> list(torch.utils.data.DataLoader(Count(), batch_size=2))
    [tensor([0, 1]), tensor([2, 3])]
    """

    def __add__(self, other: Dataset) -> ChainDataset:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Samples are the tensors' entries along their first dimension.

    Args:
        tensors: tensors of equal length.

    >>> data = torch.utils.data.TensorDataset(torch.tensor([1., 2.]), torch.tensor([0, 1]))
    >>> data[1]
    (tensor(2.), tensor(1))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor):
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise at_call(AssertionError, f"Size mismatch between tensors: {[tensor.size(0) for tensor in tensors]}")
        self.tensors = tensors

    def __getitem__(self, index) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def _items(dataset: Any, indices: list) -> list:
    """The samples at several indices, in one call where the dataset offers that."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    items = dataset.__getitems__(indices)
    if len(items) != len(indices):
        raise at_call(ValueError, f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
    return items


class StackDataset(Dataset):
    """Samples of several datasets side by side, as a tuple or, of named datasets, as a dict.

    >>> torch.utils.data.StackDataset([1, 2], ["a", "b"])[1]
    (2, 'b')
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any):
        if args and kwargs:
            raise at_call(
                ValueError,
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given.",
            )
        if not args and not kwargs:
            raise at_call(ValueError, "At least one dataset should be passed")
        lengths = [len(dataset) for dataset in (args or kwargs.values())]
        if any(length != lengths[0] for length in lengths):
            raise at_call(ValueError, f"Size mismatch between datasets: {lengths}")
        self._length = lengths[0]
        self.datasets = args or kwargs

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list) -> list:
        if isinstance(self.datasets, dict):
            columns = [_items(dataset, indices) for dataset in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*[_items(dataset, indices) for dataset in self.datasets], strict=True))

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """Several datasets, one behind the other.

    >>> torch.utils.data.ConcatDataset([[1, 2], [3]])[2]
    3
    """

    datasets: list[Dataset[T_co]]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable) -> list[int]:
        """The number of samples up to the end of each dataset."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets: Iterable[Dataset]):
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise at_call(AssertionError, "datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise at_call(AssertionError, "ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise at_call(
                    ValueError,
                    f"absolute value of index should not exceed dataset length: index {index}, length {len(self)}",
                )
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The same as cumulative_sizes; PyTorch's older spelling."""
        message = "`cummulative_sizes` attribute is renamed to `cumulative_sizes`"
        warn_user(message, FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Several iterable datasets, one behind the other.

    >>> class Count(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(torch.utils.data.ChainDataset([Count(), Count()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset]):
        super().__init__()
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise at_call(
                    AssertionError, f"ChainDataset only supports IterableDataset, not {type(dataset).__name__}"
                )
            yield dataset

    def __iter__(self) -> Iterator:
        return itertools.chain.from_iterable(self._checked())

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset[T_co]):
    """Some samples of a dataset, by their indices.

    >>> torch.utils.data.Subset([5, 6, 7], [0, 2])[1]
    7
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise at_call(
                NotImplementedError,
                f"{cls.__name__} overrides __getitem__ but not __getitems__. DataLoader calls the latter, so override "
                "it too:\n\ndef __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]",
            )

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list:
        whole = [self.indices[i] for i in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(whole)
        return [self.dataset[i] for i in whole]

    def __len__(self) -> int:
        return len(self.indices)


def _lengths_of_fractions(fractions: Sequence[float], total: int) -> list[int]:
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise at_call(ValueError, f"Fraction at index {i} is not between 0 and 1: {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            message = f"Length of split at index {i} is 0. This might result in an empty dataset."
            warn_user(message)
    return lengths


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset]:
    """Deals a dataset's samples out at random into subsets of these lengths, or of these fractions of the whole.

    >>> parts = torch.utils.data.random_split(range(10), [7, 3], torch.Generator().manual_seed(0))
    >>> [len(part) for part in parts]
    [7, 3]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = _lengths_of_fractions(lengths, len(dataset))
    else:
        sizes: Any = lengths
    if sum(sizes) != len(dataset):
        raise at_call(
            ValueError,
            "Sum of input lengths does not equal the length of the input dataset! "
            f"The lengths are {list(lengths)}, the dataset has {len(dataset)} samples.",
        )
    indices = functions["randperm"](len(dataset), generator=generator).tolist()
    ends = itertools.accumulate(sizes)
    return [Subset(dataset, indices[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
