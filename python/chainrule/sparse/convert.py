"""From one layout to another; each is differentiable."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable, keep
from ..error_words import at_call
from .history import assembled, coalesced, loose, opened, read, values_of
from .parts import (
    BLOCKED,
    BSR,
    BY_ROW,
    COO,
    CSR,
    CompressedPattern,
    CooPattern,
    Pattern,
    compressed,
    is_sparse,
    make,
    pattern_of,
    raveled,
    unraveled,
)

_functions = _core.functions
_DENSE = _core.strided


# ---- to dense


@differentiable(name="ToDenseBackward0")
def _dense(x: Tensor) -> Tensor:
    pattern, values = loose(x)
    return keep(pattern.write(values), pattern=pattern)


@_dense.gradient("x")
def _(g: Tensor, pattern: Pattern) -> Tensor:
    if isinstance(pattern, CooPattern) and not pattern.coalesced:
        pattern = once(pattern)
    return assembled(read(g, pattern.wide), pattern.wide)


@differentiable(name="ToDenseBackward0")
def _dense_unmasked(x: Tensor) -> Tensor:
    pattern, values = loose(x)
    return keep(pattern.write(values), pattern=pattern)


@_dense_unmasked.gradient("x")
def _(g: Tensor, pattern: Pattern) -> Tensor:
    return from_dense(g, *kind_of(pattern))


def dense(x: Tensor, masked_grad: bool = True) -> Tensor:
    """The dense tensor; itself if it is dense. With `masked_grad` its gradient has the places that x has."""
    if not is_sparse(x):
        return x
    return _dense(x) if masked_grad else _dense_unmasked(x)


def once(pattern: CooPattern) -> CooPattern:
    """A pattern of COO with each place once, in order."""
    ones = _functions["ones"](pattern.count, dtype=_core.float32)
    shape = (*pattern.outer,)
    return pattern_of(coalesced(make(CooPattern(pattern.indices, shape), ones))).of_size(pattern.size)


def kind_of(pattern: Any) -> tuple[Any, tuple[int, int], int]:
    """What from_dense needs to give such a pattern: its layout, its blocks, how many of its dimensions are dense."""
    if pattern.layout is COO:
        return COO, (1, 1), len(pattern.size) - len(pattern.outer)
    return pattern.layout, pattern.block, len(pattern.size) - pattern.batch - 2


# ---- from dense


def from_dense(x: Tensor, layout: Any, block: tuple[int, int] = (1, 1), dense_dim: int = 0) -> Tensor:
    """The elements (the blocks, the slices) of a dense tensor that are not zero."""
    if layout is _DENSE:
        return x
    if layout is COO:
        return _coo_of_dense(x, x.ndim - dense_dim)
    batch = x.ndim - dense_dim - 2
    grid = (x.shape[batch] // block[0], x.shape[batch + 1] // block[1])
    flat_batch = x.shape[:batch]
    starts = _functions["zeros"](*flat_batch, 1, dtype=_core.int64)
    shell = CompressedPattern(layout, starts, starts.new_zeros(*flat_batch, 0), tuple(x.shape), block)
    folded = shell.fold(x.detach())
    mask = _any_of(folded != 0, batch + 2)
    if not shell.by_row:
        mask = mask.transpose(batch, batch + 1)
    counts = mask.sum(-1)
    totals = counts.sum(-1).reshape(-1)
    if len(totals) and bool((totals != totals[0]).any()):
        raise at_call(RuntimeError, "Expect the same number of specified elements per batch.")
    each = int(totals[0]) if len(totals) else 0
    lines = grid[0] if shell.by_row else grid[1]
    plain = mask.nonzero()[:, -1].reshape(*flat_batch, each)
    starts = _functions["cat"]([starts, counts.reshape(*flat_batch, lines).cumsum(-1)], -1)
    pattern = CompressedPattern(layout, starts, plain, tuple(x.shape), block)
    return assembled(pattern.read(x), pattern)


def _any_of(mask: Tensor, kept: int) -> Tensor:
    return mask if mask.ndim == kept else mask.reshape(*mask.shape[:kept], prod(mask.shape[kept:])).any(-1)


def _coo_of_dense(x: Tensor, sparse_dim: int) -> Tensor:
    if sparse_dim == 0:
        count = int(bool((x.detach() != 0).any())) if x.ndim else int(bool(x.detach() != 0))
        pattern = CooPattern(_functions["zeros"](0, count, dtype=_core.int64), tuple(x.shape), True)
        return assembled(x.unsqueeze(0)[:count], pattern)
    mask = _any_of(x.detach() != 0, sparse_dim)
    pattern = CooPattern(mask.nonzero().t().contiguous(), tuple(x.shape), True)
    return assembled(pattern.read(x), pattern)


# ---- between sparse layouts


def to_coo(x: Tensor) -> Tensor:
    """COO with the entries in the order that they have; COO stays as it is."""
    if not is_sparse(x):
        return from_dense(x, COO)
    pattern = pattern_of(x)
    if pattern.layout is COO:
        return x
    blocks = pattern.blocks(values_of(x))
    places = list(pattern.places)
    if pattern.layout in BLOCKED:
        blocks, places = _split_blocks(pattern, blocks)
    return assembled(blocks, CooPattern(_functions["stack"](places), pattern.size, pattern.layout is CSR))


def _split_blocks(pattern: CompressedPattern, blocks: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Each element of the blocks by itself."""
    height, width = pattern.block
    arange = _functions["arange"]
    each = height * width
    rows = arange(height).repeat_interleave(width).repeat(pattern.count)
    columns = arange(width).repeat(height).repeat(pattern.count)
    places = [index.repeat_interleave(each) for index in pattern.places]
    places[-2], places[-1] = places[-2] * height + rows, places[-1] * width + columns
    return blocks.reshape(pattern.count * each, *blocks.shape[3:]), places


def to_compressed(x: Tensor, layout: Any, block: tuple[int, int] = (1, 1), index: Any = None) -> Tensor:
    """COO or another compressed layout as this one, with indices of a dtype; by a sort of its places."""
    own = pattern_of(x)
    if own.layout is layout and own.block == block:
        return x
    index = index or (own.starts.dtype if own.layout is not COO else _core.int64)
    if own.layout is not COO and own.batch:
        return _stacked(x, layout, block)
    pattern, values = opened(to_coo(x))
    height, width = block
    rows, columns = pattern.places
    grid = (pattern.size[0] // height, pattern.size[1] // width)
    by_row = layout in BY_ROW
    pair = (
        (rows, columns)
        if height == width == 1
        else tuple(i.div(n, rounding_mode="floor") for i, n in ((rows, height), (columns, width)))
    )
    sizes = grid if by_row else (grid[1], grid[0])
    keys = raveled(pair if by_row else (pair[1], pair[0]), sizes)
    order, starts = _functions["_sparse_order"](keys, max(prod(sizes), 1))
    lines, plain = unraveled(keys.index_select(0, order.index_select(0, starts)), sizes)
    values = values.index_select(0, order)
    if layout in BLOCKED:
        runs = _functions["zeros"](len(order), dtype=_core.int64)
        runs[starts[1:]] = 1
        at = (runs.cumsum(0), rows.index_select(0, order) % height, columns.index_select(0, order) % width)
        values = values.new_zeros(len(starts), height, width, *values.shape[1:]).index_put(at, values)
    found = CompressedPattern(layout, compressed(lines, sizes[0]).to(index), plain.to(index), pattern.size, block)
    return assembled(values, found)


def _stacked(x: Tensor, layout: Any, block: tuple[int, int]) -> Tensor:
    """Batches are converted one after another; they have to have the same number of entries."""
    pattern = pattern_of(x)
    shape = pattern.size[: pattern.batch]
    values = values_of(x).reshape(prod(shape), *values_of(x).shape[pattern.batch :])
    starts = pattern.starts.reshape(prod(shape), -1)
    plain = pattern.plain.reshape(prod(shape), -1)
    size = pattern.size[pattern.batch :]
    parts = [
        to_compressed(assembled(v, CompressedPattern(pattern.layout, s, p, size, pattern.block)), layout, block)
        for v, s, p in zip(values.unbind(0), starts.unbind(0), plain.unbind(0), strict=True)
    ]
    patterns = [pattern_of(part) for part in parts]
    if len({p.plain.shape[0] for p in patterns}) > 1:
        raise at_call(RuntimeError, "Expect the same number of specified elements per batch.")
    stack = _functions["stack"]
    joined = CompressedPattern(
        layout,
        stack([p.starts for p in patterns]).reshape(*shape, -1),
        stack([p.plain for p in patterns]).reshape(*shape, -1),
        pattern.size,
        block,
    )
    together = stack([values_of(part) for part in parts])
    return assembled(together.reshape(*shape, *together.shape[1:]), joined)


def converted(x: Tensor, layout: Any, block: tuple[int, int] | None = None, dense_dim: int | None = None) -> Tensor:
    """A tensor of any layout as this one."""
    if layout is _DENSE:
        return dense(x)
    if not is_sparse(x):
        return from_dense(x, layout, block or (1, 1), dense_dim or 0)
    if layout is COO:
        return to_coo(x)
    return to_compressed(x, layout, block or (1, 1))


def fitted(x: Tensor, pattern: Any) -> Tensor | None:
    """A sparse tensor laid out so that its keys mean the same as those of the pattern; None if there is no way."""
    own = pattern_of(x)
    kind = kind_of(pattern)
    if own.outer == pattern.outer and kind_of(own)[1:] == kind[1:]:
        return x
    if pattern.layout is COO:
        there = coalesced(to_coo(x))
        return there if pattern_of(there).outer == pattern.outer else None
    if kind[2] != kind_of(own)[2] or (own.layout is COO and len(own.outer) != 2):
        return None
    return to_compressed(x, BSR if pattern.layout in BLOCKED else CSR, pattern.block)
