"""Indices of sparse tensors by themselves: whether they make a tensor, and those of one layout in another."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .invariants import check_compressed, check_coo, check_indices, check_invariants_of, check_order
from .parts import BSC, BSR, COO, CSC, CSR, CompressedPattern, CooPattern

_functions = _core.functions


def _validate_sparse_coo_tensor_args(
    indices: Tensor, values: Tensor, size: Any, is_coalesced: bool | None = None, check_pinning: bool | None = None
) -> None:
    """Raises where sparse_coo_tensor would have to."""
    size = tuple(int(n) for n in size)
    check_coo(indices, values, size)
    if is_coalesced:
        check_invariants_of(CooPattern(indices, size, True))


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Tensor,
    plain_indices: Tensor,
    values: Tensor,
    size: Any,
    layout: Any,
    check_pinning: bool | None = None,
) -> None:
    """Raises where sparse_compressed_tensor would have to."""
    if layout not in (CSR, CSC, BSR, BSC):
        words = "Sparse" if layout is COO else "Strided"
        raise at_call(
            RuntimeError,
            f"validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got {words}",
        )
    size = tuple(int(n) for n in size)
    block = check_compressed(layout, compressed_indices, plain_indices, values, size, True)
    check_order(CompressedPattern(layout, compressed_indices, plain_indices, size, block))


def _validate_sparse_csr_tensor_args(
    crow_indices: Tensor, col_indices: Tensor, values: Tensor, size: Any, check_pinning: bool | None = None
) -> None:
    _validate_sparse_compressed_tensor_args(crow_indices, col_indices, values, size, CSR)


def _validate_sparse_csc_tensor_args(
    ccol_indices: Tensor, row_indices: Tensor, values: Tensor, size: Any, check_pinning: bool | None = None
) -> None:
    _validate_sparse_compressed_tensor_args(ccol_indices, row_indices, values, size, CSC)


def _validate_sparse_bsr_tensor_args(
    crow_indices: Tensor, col_indices: Tensor, values: Tensor, size: Any, check_pinning: bool | None = None
) -> None:
    _validate_sparse_compressed_tensor_args(crow_indices, col_indices, values, size, BSR)


def _validate_sparse_bsc_tensor_args(
    ccol_indices: Tensor, row_indices: Tensor, values: Tensor, size: Any, check_pinning: bool | None = None
) -> None:
    _validate_sparse_compressed_tensor_args(ccol_indices, row_indices, values, size, BSC)


def _validate_compressed_sparse_indices(
    is_crow: bool, compressed_idx: Tensor, plain_idx: Tensor, cdim: int, dim: int, nnz: int
) -> None:
    """Raises where these are no indices of `cdim` rows (columns) with `nnz` entries, each below `dim`."""
    check_indices(CSR if is_crow else CSC, compressed_idx, plain_idx, dim, nnz, True)
    size = (*compressed_idx.shape[:-1], *((cdim, dim) if is_crow else (dim, cdim)))
    check_order(CompressedPattern(CSR if is_crow else CSC, compressed_idx, plain_idx, size))


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """A row for each dimension, those of the batch first, and a column for each entry."""
    counts = crow_indices.to(_core.int64).diff(dim=-1)
    lines, batches = counts.shape[-1], prod(counts.shape[:-1])
    line = _functions["arange"](lines).repeat(batches).repeat_interleave(counts.reshape(-1))
    pair = [line, col_indices.to(_core.int64).reshape(-1)]
    batch = _batch_indices(col_indices)
    rows = _functions["stack"]([*batch, *(pair[::-1] if transpose else pair)])
    return rows.to(_core.int32 if out_int32 else _core.int64)


def _batch_indices(plain: Tensor) -> tuple[Tensor, ...]:
    """For each entry where it stands in the batch."""
    shape = plain.shape[:-1]
    if not shape:
        return ()
    each = _functions["arange"](prod(shape)).repeat_interleave(plain.shape[-1])
    return tuple(_functions["unravel_index"](each, shape))


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each row starts, given the sorted rows of the entries."""
    if input.ndim != 1:
        raise at_call(RuntimeError, f"Input is supposed to be a vector, but got {input.ndim} dimensional tensor.")
    counts = _functions["bincount"](input.to(_core.int64), minlength=size)
    starts = _functions["cat"]([counts.new_zeros(1), counts.cumsum(0)])
    return starts.to(_core.int32 if out_int32 else _core.int64)
