"""Products of matrices under names that PyTorch has from before torch.mm took sparse ones."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from .convert import from_dense, to_coo
from .elementwise import unsupported
from .functions import addmm as saddmm
from .parts import COO, is_sparse
from .products import mm as _product

__all__ = ["dsmm", "hsmm", "hspmm", "saddmm", "smm", "spmm", "sspaddmm"]

spmm = dsmm = _core.functions["mm"]


def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse one.

    Shape and dtype: that of input @ mat, in COO.
    Derivative: that of the product, at the elements that input has.

    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 1)).to_dense()
    tensor([[1.],
            [1.]])
    """
    return sspaddmm(None, input, mat)


def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse one whose rows are dense.

    Shape and dtype: that of mat1 @ mat2, in COO with one sparse dimension.
    Derivative: that of the product, at the elements that mat1 has.

    >>> torch.hspmm(torch.eye(2).to_sparse(), torch.ones(2, 1)).to_dense()
    tensor([[1.],
            [1.]])
    """
    if not is_sparse(mat1):
        raise unsupported("hspmm", mat1)
    return from_dense(_product(mat1, mat2), COO, (1, 1), 1)


hsmm = hspmm


def sspaddmm(input: Tensor | None, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), as a sparse tensor; mat2 is dense.

    Shape and dtype: that of input, in COO.
    Derivative: beta for input; that of the product, times alpha, at the elements that mat1 has.

    >>> x = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(x, x, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
    if not is_sparse(mat1):
        raise unsupported("sspaddmm", mat1)
    result = to_coo(from_dense(_product(mat1, mat2), COO)) * alpha
    return result if input is None else input * beta + result


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each of `size` rows begins among entries whose rows these are, in their order."""
    counts = _core.functions["bincount"](input, minlength=size)
    starts = _core.functions["cat"]([counts.new_zeros(1), counts.cumsum(0)])
    return starts.to(_core.int32 if out_int32 else _core.int64)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """The rows and columns of a compressed matrix's entries, after the numbers of their batches."""
    batch, flat = crow_indices.shape[:-1], crow_indices.reshape(-1, crow_indices.shape[-1])
    rows, of_batch = flat.shape[1] - 1, _core.functions["arange"](flat.shape[0])
    lines = _core.functions["arange"](rows).repeat(flat.shape[0]).repeat_interleave(flat.diff(dim=1).reshape(-1))
    columns = col_indices.reshape(-1)
    number = of_batch.repeat_interleave(flat[:, -1]) if batch else None
    own = [lines, columns][:: -1 if transpose else 1]
    before = [] if number is None else list(_core.functions["unravel_index"](number, tuple(batch)))
    kind = _core.int32 if out_int32 else _core.int64
    return _core.functions["stack"]([each.to(kind) for each in (*before, *own)])
