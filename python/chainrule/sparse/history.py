"""The two operations that lead from values to a sparse tensor and back, and what is made of them.

All others are written with these two and with dense operations on the values, which know their gradients. So every
sparse operation has derivatives of any order, and the gradient of a sparse tensor is a sparse tensor of its pattern.
"""

from __future__ import annotations

from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable, keep
from .parts import COO, CooPattern, Pattern, is_sparse, make, pattern_of, raw_values, same_places

_functions = _core.functions


@differentiable(name="SparseCooTensorWithDimsAndTensorsBackward0")
def assembled(values: Tensor, pattern: Pattern) -> Tensor:
    """The sparse tensor with these values."""
    return make(pattern, values.detach())


@assembled.gradient("values")
def _(g: Tensor, pattern: Pattern) -> Tensor:
    return read(g, pattern)


@differentiable(name="ValuesBackward0")
def _values(x: Tensor) -> Tensor:
    return keep(raw_values(x).detach(), pattern=pattern_of(x))


@_values.gradient("x")
def _(g: Tensor, pattern: Pattern) -> Tensor:
    return assembled(g, pattern)


@differentiable(name="CoalesceBackward0")
def _coalesced(x: Tensor) -> Tensor:
    pattern = pattern_of(x)
    order, starts = _functions["_sparse_order"](pattern.keys, max(prod(pattern.outer), 1))
    values = summed(raw_values(x), order, starts)
    indices = pattern.indices.index_select(1, order.index_select(0, starts))
    return make(CooPattern(indices, pattern.size, True), values)


@_coalesced.gradient("x")
def _(g: Tensor) -> Tensor:
    return g


def summed(values: Tensor, order: Tensor, starts: Tensor) -> Tensor:
    """The sums of values of one place; of bools, whether one is true."""
    if values.dtype in (_core.float32, _core.float64):
        return _functions["_sparse_run_sums"](values, order, starts)
    runs = _functions["zeros"](len(order), dtype=_core.int64)
    runs[starts[1:]] = 1
    exact = values.to(_core.int64) if values.dtype is _core.bool else values
    sums = exact.new_zeros(len(starts), *values.shape[1:]).index_add(0, runs.cumsum(0), exact.index_select(0, order))
    return sums.to(values.dtype)


def coalesced(x: Tensor) -> Tensor:
    """COO with each place once, in order; itself if it is so."""
    pattern = pattern_of(x)
    return x if pattern.layout is not COO or pattern.coalesced else _coalesced(x)


def values_of(x: Tensor) -> Tensor:
    """The values of a tensor whose places are named once each."""
    return _values(x)


def opened(x: Tensor) -> tuple[Any, Tensor]:
    """Pattern and values, each place once."""
    x = coalesced(x)
    return pattern_of(x), _values(x)


def loose(x: Tensor) -> tuple[Any, Tensor]:
    """Pattern and values as they stand, where nobody wants a gradient; else each place once."""
    return opened(x) if x.requires_grad and _core.is_grad_enabled() else (pattern_of(x), raw_values(x))


def read(x: Tensor, pattern: Pattern) -> Tensor:
    """The values that a tensor has at the places of a pattern; differentiable."""
    if not is_sparse(x):
        return pattern.read(x)
    x = coalesced(x)
    own = pattern_of(x)
    if same_places(own, pattern):
        return _values(x)
    from .convert import dense, fitted

    fitting = fitted(x, pattern)
    return pattern.read(dense(x)) if fitting is None else pattern.from_blocks(_taken(fitting, pattern.keys))


def _taken(x: Tensor, keys: Tensor) -> Tensor:
    """The blocks of a tensor at these places, zeros where it has none."""
    own = pattern_of(x)
    order, _ = _functions["_sparse_order"](own.keys, max(prod(own.outer), 1))
    blocks, cat = own.blocks(_values(x)), _functions["cat"]
    padded = cat([blocks, blocks.new_zeros(1, *blocks.shape[1:])])
    sorted_keys = own.keys.index_select(0, order)
    at = _functions["searchsorted"](sorted_keys, keys)
    found = cat([sorted_keys, keys.new_full((1,), -1)]).index_select(0, at) == keys
    at = cat([order, order.new_full((1,), own.count)]).index_select(0, at)
    return padded.index_select(0, _functions["where"](found, at, own.count))
