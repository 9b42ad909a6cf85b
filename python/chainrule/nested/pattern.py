"""Where the rows of a nested tensor are: offsets, lengths and the ragged dimension."""

from __future__ import annotations

from functools import cached_property

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .ragged_size import RaggedSize, same_size, size_of


class Pattern:
    """Which part of the packed values each row is.

    Args:
        offsets: where each row begins, and where the last one ends.
        lengths: of rows that do not reach to the next one's beginning; None if they do.
        ragged: the ragged dimension among the nested tensor's.
    """

    def __init__(self, offsets: Tensor, lengths: Tensor | None = None, ragged: int = 1) -> None:
        self.offsets, self.lengths, self.ragged = offsets, lengths, ragged
        self.size: RaggedSize = size_of(offsets if lengths is None else lengths)

    def with_ragged(self, ragged: int) -> Pattern:
        """The same rows along another dimension."""
        return self if ragged == self.ragged else Pattern(self.offsets, self.lengths, ragged)

    def on(self, device: _core.device) -> Pattern:
        """The same rows on a device."""
        if self.offsets.device == device:
            return self
        offsets, lengths = self.offsets.to(device), None if self.lengths is None else self.lengths.to(device)
        if lengths is None or self.lengths is None:
            same_size(offsets, self.offsets)
        else:
            same_size(lengths, self.lengths)
        return Pattern(offsets, lengths, self.ragged)

    @cached_property
    def starts(self) -> list[int]:
        """Where each row begins."""
        return self.offsets.tolist()[:-1]

    @cached_property
    def counts(self) -> list[int]:
        """How long each row is."""
        ends = self.offsets.tolist()[1:]
        if self.lengths is not None:
            return self.lengths.tolist()
        return [end - start for start, end in zip(self.starts, ends, strict=True)]

    @cached_property
    def places(self) -> tuple[Tensor, Tensor, Tensor]:
        """Of each packed item that belongs to a row: the row, its place in it, and its place among the values."""
        tensor, arange = _core.functions["tensor"], _core.functions["arange"]
        counts = tensor(self.counts, dtype=_core.int64, device=self.offsets.device)
        rows = arange(len(self.counts), device=self.offsets.device).repeat_interleave(counts)
        before = counts.cumsum(0) - counts
        within = arange(sum(self.counts), device=self.offsets.device) - before[rows]
        starts = tensor(self.starts, dtype=_core.int64, device=self.offsets.device)
        return rows, within, starts[rows] + within

    def covers(self, length: int) -> bool:
        """Whether the rows are all that the values have, one after another."""
        return self.lengths is None and self.starts[:1] in ([], [0]) and sum(self.counts) == length


def check_pattern(name: str, values: Tensor, pattern: Pattern) -> None:
    """Refuses rows that are not inside of the values. PyTorch sees it when the rows are first looked at."""
    offsets, dim = pattern.offsets, pattern.ragged - 1
    if offsets.device != values.device:
        raise at_call(
            AssertionError,
            f"values and offsets must be on the same device, but got values.device={values.device} and "
            f"offsets.device={offsets.device}",
        )
    if not 0 <= dim < values.dim():
        raise at_call(IndexError, f"{name}: jagged_dim {dim + 1} is no dimension of values of shape {values.shape}")
    length = values.shape[dim]
    ends = [start + count for start, count in zip(pattern.starts, pattern.counts, strict=True)]
    if (
        any(start < 0 for start in pattern.starts)
        or any(n < 0 for n in pattern.counts)
        or max(ends, default=0) > length
    ):
        given = f"offsets {offsets.tolist()}" + (
            f" and lengths {pattern.counts}" if pattern.lengths is not None else ""
        )
        raise at_call(
            RuntimeError,
            f"Expected cond to be True, but got False. {name}(): offsets may not decrease, nor rows end behind "
            "the values: "
            f"got {given} for {length} items in dimension {dim} of values of shape {tuple(values.shape)}",
        )


def check_offsets(offsets: Tensor, lengths: Tensor | None) -> None:
    """Refuses what cannot be offsets or lengths."""
    if offsets.dim() != 1:
        raise at_call(AssertionError, f"offsets must be 1D, but got {offsets.dim()}D: {tuple(offsets.shape)}")
    for name, given in (("offsets", offsets), ("lengths", lengths)):
        if given is not None and (given.is_floating_point() or given.is_complex() or given.dtype is _core.bool):
            raise at_call(TypeError, f"{name} must be a tensor of integers, but got {given.dtype}: {given.tolist()}")
    if lengths is not None and tuple(lengths.shape) != (len(offsets) - 1,):
        raise at_call(
            AssertionError,
            f"offsets and lengths batch sizes must match: offsets.shape[0] - 1 = {len(offsets) - 1}, "
            "lengths.shape[0] = "
            f"{lengths.shape[0] if lengths.dim() else 'none'}",
        )
