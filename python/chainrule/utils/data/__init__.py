"""Loading data: datasets, samplers, and DataLoader with its worker processes."""

from collections.abc import Callable

from ...compat.refusal import refused_class
from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataloader import _DatasetKind as _DatasetKind
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .worker import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

_PIPES = "PyTorch develops data pipes no further; a Dataset or an IterableDataset and a DataLoader do their work"
IterDataPipe = refused_class("utils.data.IterDataPipe", _PIPES, base=IterableDataset)
MapDataPipe = refused_class("utils.data.MapDataPipe", _PIPES, base=Dataset)


def functional_datapipe(name: str, enable_df_api_tracing: bool = False) -> Callable[[type], type]:
    """A decorator that returns the class as it is: no data pipe can be made that could have the method."""
    return lambda cls: cls
