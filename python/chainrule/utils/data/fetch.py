"""Taking samples from a dataset: a whole batch, or one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Source:
    """Where samples come from and what becomes of them."""

    dataset: Any
    iterable: bool
    batched: bool
    collate_fn: Callable
    drop_last: bool

    def fetcher(self) -> Callable[[Any], Any]:
        """What gives the data for an index, or for a list of them; StopIteration at an iterable dataset's end."""
        if not self.iterable:
            return self._fetch_by_index
        samples = iter(self.dataset)
        return lambda index: self._fetch_next(samples, index)

    def _fetch_by_index(self, index: Any) -> Any:
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])

    def _fetch_next(self, samples: Any, index: Any) -> Any:
        if not self.batched:
            return self.collate_fn(next(samples))
        batch = [sample for _, sample in zip(index, samples, strict=False)]
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate_fn(batch)
