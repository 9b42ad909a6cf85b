"""Joining tensors and cutting them up along dimensions that have names of their own, inside vmap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .batch_composed import composed

_functions = _core.functions
_cat = _functions["cat"]


@composed("hstack")
def _hstack(tensors: Sequence[Tensor]) -> Tensor:
    rows = [_functions["atleast_1d"](t) for t in tensors]
    return _cat(rows, 0 if rows[0].ndim == 1 else 1)


@composed("vstack", "row_stack")
def _vstack(tensors: Sequence[Tensor]) -> Tensor:
    return _cat([_functions["atleast_2d"](t) for t in tensors], 0)


@composed("dstack")
def _dstack(tensors: Sequence[Tensor]) -> Tensor:
    return _cat([_functions["atleast_3d"](t) for t in tensors], 2)


@composed("column_stack")
def _column_stack(tensors: Sequence[Tensor]) -> Tensor:
    return _cat([t.reshape(-1, 1) if t.ndim <= 1 else t for t in tensors], 1)


@composed("block_diag")
def _block_diag(*tensors: Any) -> Tensor:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    blocks = [_functions["atleast_2d"](t) for t in given]
    width = sum(block.shape[1] for block in blocks)
    rows, before = [], 0
    for block in blocks:
        after = width - before - block.shape[1]
        rows.append(_functions["constant_pad_nd"](block, (before, after)))
        before += block.shape[1]
    return _cat(rows, 0)


def _cut(name: str, dim_of: Callable[[Tensor], int]) -> None:
    @composed(name)
    def cut(input: Tensor, sections: Any = None, *, indices: Any = None) -> Any:
        where, dim = (indices if sections is None else sections), dim_of(input)
        if isinstance(where, int) and (where <= 0 or input.shape[dim] % where):
            raise at_call(
                RuntimeError,
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{input.shape[dim]} is not divisible by the split_size {where}!",
            )
        return input.tensor_split(where, dim)


_cut("hsplit", lambda input: 0 if input.ndim == 1 else 1)
_cut("vsplit", lambda input: 0)
_cut("dsplit", lambda input: 2)
