"""DistributedSampler: one process's share of a dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..._core import Generator, functions
from ...error_words import at_call
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every process gets another part of the indices, all parts of one length.

    Args:
        dataset: what is sampled from; only its length counts.
        num_replicas: how many processes there are; without it, as many as init_process_group() joined.
        rank: which of them this is; without it, this one.
        shuffle: whether the indices are dealt out in random order, anew for every epoch.
        seed: of the random order; the same in all processes.
        drop_last: whether what does not divide evenly is left out; otherwise some indices come twice.

    >>> list(torch.utils.data.DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 5]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ):
        if num_replicas is None or rank is None:
            from ... import distributed

            if not distributed.is_available():
                raise at_call(
                    RuntimeError, "Requires distributed package to be available: pip install 'chainrule[distributed]'"
                )
            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise at_call(ValueError, f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        length = len(dataset)
        self.num_samples = length // num_replicas if drop_last else math.ceil(length / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = functions["randperm"](len(self.dataset), generator=generator).tolist()
        else:
            indices = list(range(len(self.dataset)))
        repeated = indices * math.ceil(self.total_size / max(len(indices), 1))
        return iter(repeated[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Chooses the random order of the next pass; call it before each epoch, or every one has the same."""
        self.epoch = epoch
