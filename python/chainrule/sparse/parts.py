"""What a sparse tensor is made of: a pattern, which says where its values stand, and the values.

Patterns never change and have no gradient; tensors that were calculated from each other share one, and what is found
out about it is kept there. See Note [Sparse tensors] in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

from .. import _core
from .._core import Tensor

_functions = _core.functions
COO, CSR, CSC = _core.sparse_coo, _core.sparse_csr, _core.sparse_csc
BSR, BSC = _core.sparse_bsr, _core.sparse_bsc
BY_ROW, BLOCKED = (CSR, BSR), (BSR, BSC)
LAYOUT_WORDS = {
    _core.strided: "Strided",
    COO: "Sparse",
    CSR: "SparseCsr",
    CSC: "SparseCsc",
    BSR: "SparseBsr",
    BSC: "SparseBsc",
}


def raveled(indices: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """The places of entries in a contiguous tensor of these sizes, from one vector of indices for each dimension."""
    keys = indices[0].to(_core.int64)
    for index, size in zip(indices[1:], sizes[1:], strict=True):
        keys = keys * size + index
    return keys


def unraveled(keys: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """The indices from the places."""
    found: list[Tensor] = []
    for size in reversed(sizes[1:]):
        found.append(keys % max(size, 1))
        keys = keys.div(max(size, 1), rounding_mode="floor")
    return [keys, *reversed(found)]


class Pattern:
    """Where the values of a sparse tensor of any layout stand.

    A tensor of any layout can be read as one of blocks: `places` are the indices of each block in the dimensions
    `outer`, and each value is a block. (Those of COO are of the dense dimensions; those of BSR are matrices too.)
    """

    layout: Any
    size: tuple[int, ...]
    outer: tuple[int, ...]
    count: int  # of blocks

    @cached_property
    def places(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    @property
    def wide(self) -> Pattern:
        return self

    @cached_property
    def keys(self) -> Tensor:
        """The places as numbers, in the order of the values."""
        if not self.places:
            return _functions["zeros"](self.count, dtype=_core.int64)
        return raveled(self.places, self.outer)

    def blocks(self, values: Tensor) -> Tensor:
        """The values with one dimension for all blocks."""
        return values

    def from_blocks(self, blocks: Tensor) -> Tensor:
        """The values as this layout has them."""
        return blocks

    def fold(self, dense: Tensor) -> Tensor:
        """A dense tensor of this size with the dimensions of the blocks last."""
        return dense

    def unfold(self, dense: Tensor) -> Tensor:
        """The same in its own size."""
        return dense

    def read(self, dense: Tensor) -> Tensor:
        """The values that a dense tensor has here; differentiable."""
        folded = self.fold(dense)
        flat = folded.reshape(prod(self.outer), *folded.shape[len(self.outer) :])
        return self.from_blocks(flat.index_select(0, self.keys))

    def write(self, values: Tensor) -> Tensor:
        """The dense tensor that has these values here, and zeros; those of one place are added. Differentiable."""
        blocks = self.blocks(values)
        shape = (prod(self.outer), *blocks.shape[1:])
        flat = _functions["zeros"](shape, dtype=values.dtype)
        if values.dtype is _core.bool:
            flat = flat.to(_core.int8).index_add(0, self.keys, blocks.to(_core.int8)).to(_core.bool)
        else:
            flat = flat.index_add(0, self.keys, blocks)
        return self.unfold(flat.reshape((*self.outer, *blocks.shape[1:])))


class CooPattern(Pattern):
    """The indices of COO: (sparse dimensions, entries)."""

    layout = COO

    def __init__(self, indices: Tensor, size: Sequence[int], coalesced: bool = False):
        self.indices, self.size, self.coalesced = indices, tuple(size), coalesced
        self.outer = self.size[: indices.shape[0]]
        self.count = indices.shape[1]

    @cached_property
    def places(self) -> tuple[Tensor, ...]:
        return tuple(self.indices.unbind(0))

    def of_size(self, size: Sequence[int]) -> CooPattern:
        """The same indices in a tensor of another size."""
        return CooPattern(self.indices, size, self.coalesced)

    @cached_property
    def starts(self) -> Tensor:
        """Of the rows, for a coalesced matrix."""
        return compressed(self.indices[0], self.size[0])


def compressed(sorted_rows: Tensor, count: int) -> Tensor:
    """Where each of `count` rows starts among entries that are sorted by their rows."""
    return _functions["searchsorted"](sorted_rows.contiguous(), _functions["arange"](count + 1, dtype=_core.int64))


class CompressedPattern(Pattern):
    """The indices of CSR and its kin: `starts` of rows (of columns, for CSC) and the `plain` indices in them."""

    def __init__(
        self, layout: Any, starts: Tensor, plain: Tensor, size: Sequence[int], block: tuple[int, int] = (1, 1)
    ):
        self.layout, self.starts, self.plain, self.size, self.block = layout, starts, plain, tuple(size), block
        self.batch = starts.ndim - 1
        rows, columns = self.size[self.batch : self.batch + 2]
        self.grid = (rows // max(block[0], 1), columns // max(block[1], 1))
        self.outer = (*self.size[: self.batch], *self.grid)
        self.count = plain.numel()
        self.by_row = layout in BY_ROW

    widened: CompressedPattern | None = None  # the same with indices of int64, once somebody has asked

    @property
    def wide(self) -> CompressedPattern:
        """The same with indices of int64, which PyTorch's products and masks give."""
        if self.starts.dtype is _core.int64:
            return self
        if self.widened is None:
            starts, plain = self.starts.to(_core.int64), self.plain.to(_core.int64)
            self.widened = CompressedPattern(self.layout, starts, plain, self.size, self.block)
        return self.widened

    @cached_property
    def lines(self) -> Tensor:
        """The row (the column, for CSC) of each entry."""
        n = self.grid[0] if self.by_row else self.grid[1]
        lines = _functions["arange"](n).repeat(prod(self.size[: self.batch]))
        return lines.repeat_interleave(self.starts.to(_core.int64).diff(dim=-1).reshape(-1))

    @cached_property
    def places(self) -> tuple[Tensor, ...]:
        plain = self.plain.reshape(-1).to(_core.int64)
        pair = (self.lines, plain) if self.by_row else (plain, self.lines)
        if not self.batch:
            return pair
        batches = prod(self.size[: self.batch])
        each = _functions["arange"](batches).repeat_interleave(self.plain.shape[-1])
        return (*unraveled(each, self.size[: self.batch]), *pair)

    def blocks(self, values: Tensor) -> Tensor:
        return values.reshape(self.count, *values.shape[self.batch + 1 :]) if self.batch else values

    def from_blocks(self, blocks: Tensor) -> Tensor:
        return blocks.reshape((*self.plain.shape, *blocks.shape[1:])) if self.batch else blocks

    def fold(self, dense: Tensor) -> Tensor:
        if self.layout not in BLOCKED:
            return dense
        at = self.batch
        cut = dense.reshape(
            *dense.shape[:at], self.grid[0], self.block[0], self.grid[1], self.block[1], *dense.shape[at + 2 :]
        )
        return cut.transpose(at + 1, at + 2)

    def unfold(self, dense: Tensor) -> Tensor:
        if self.layout not in BLOCKED:
            return dense
        return dense.transpose(self.batch + 1, self.batch + 2).reshape(self.size)


class Parts(_core.SparseParts):
    """A pattern, and values without history."""

    __slots__ = ("base", "pattern", "values")

    pattern: Any
    values: Tensor
    base: Tensor | None  # the tensor that this one is a view of


def same_places(a: Any, b: Any) -> bool:
    """Whether two patterns are one; their indices may be of another dtype."""
    return a is b or (a.layout is b.layout is not COO and (a.widened is b or b.widened is a))


def make(pattern: Pattern, values: Tensor) -> Tensor:
    """A sparse tensor without history."""
    parts = Parts()
    parts.pattern, parts.values, parts.base = pattern, values, None
    return _core.sparse_tensor(parts, pattern.size, values.dtype)


def is_sparse(x: Any) -> bool:
    return _core.sparse_parts(x) is not None


def pattern_of(x: Tensor) -> Any:
    """The pattern of a sparse tensor."""
    parts = _core.sparse_parts(x)
    assert parts is not None
    return parts.pattern


def layout_of(x: Tensor) -> Any:
    """The layout of any tensor."""
    return pattern_of(x).layout if is_sparse(x) else _core.strided


def raw_values(x: Tensor) -> Tensor:
    """Its values without history."""
    return _core.sparse_parts(x).values


def viewing(x: Tensor, base: Tensor) -> Tensor:
    """Says that x, whose values lie in the memory of another tensor's, is a view of that."""
    parts, other = _core.sparse_parts(x), _core.sparse_parts(base)
    if parts is not None and other is not None:
        parts.base = base if other.base is None else other.base
    return x
