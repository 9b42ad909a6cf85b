"""The functions of torch.sparse that are not reductions."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from . import products
from .convert import converted
from .elementwise import dtype_name
from .history import assembled, coalesced
from .parts import COO, CSC, CSR, LAYOUT_WORDS, CooPattern, is_sparse, pattern_of

_functions = _core.functions


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices of which one is sparse, or both; then the product is, too.

    Args:
        reduce: how the terms of a row of a CSR matrix are joined: "sum", "mean", "amax" or "amin".

    >>> x = torch.eye(2).to_sparse()
    >>> torch.sparse.mm(x, torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    if reduce is not None:
        return products.spmm_reduced(mat1, mat2, reduce)
    if not is_sparse(mat1) and not is_sparse(mat2):
        return mat1.mm(mat2)
    return products.mm(mat1, mat2, masked=True)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2), with a sparse mat1.

    Shape and dtype: matrices that fit; a dense result.
    Derivative: beta for mat; those of the product, times alpha, at the elements that mat1 has.

    >>> x = torch.eye(2).to_sparse()
    >>> torch.sparse.addmm(torch.ones(2, 1), x, torch.ones(2, 1))
    tensor([[2.],
            [2.]])
    """
    return products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha, masked=True)


def sampled_addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), at the places that the input, of layout CSR, has.

    >>> x = torch.eye(2).to_sparse_csr()
    >>> torch.sparse.sampled_addmm(x, torch.ones(2, 3), torch.ones(3, 2)).values()
    tensor([4., 4.])
    """
    result = products.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return result if out is None else _core.become(out, result)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: Any = None) -> Tensor:
    """A sparse matrix with these rows as its diagonals, each moved by its offset.

    >>> torch.sparse.spdiags(torch.tensor([[1., 2.]]), torch.tensor([1]), (2, 2)).to_dense()
    tensor([[0., 2.],
            [0., 0.]])
    """
    rows = diagonals.unsqueeze(0) if diagonals.ndim == 1 else diagonals
    at = offsets.unsqueeze(0) if offsets.ndim == 0 else offsets
    for holds, words in (
        (rows.ndim == 2, "Diagonals must be vector or matrix"),
        (len(shape) == 2, "Output shape must be 2d"),
        (at.ndim == 1, "Offsets must be scalar or vector"),
        (
            len(rows) == len(at),
            f"Number of diagonals ({len(rows)}) does not match the number of offsets ({len(at)})",
        ),
        (
            layout in (None, COO, CSC, CSR),
            f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {LAYOUT_WORDS.get(layout, layout)}",
        ),
        (offsets.dtype is _core.int64, f"Offset Tensor must have dtype Long but got {dtype_name(offsets.dtype)}"),
        (len(set(at.reshape(-1).tolist())) == at.numel(), "Offset tensor contains duplicate values"),
    ):
        if not holds:
            raise at_call(RuntimeError, words)
    height, width = shape
    columns = _functions["arange"](rows.shape[1]).expand(rows.shape)
    lines = columns - at.unsqueeze(1)
    inside = ((lines >= 0) & (lines < height) & (columns < width)).reshape(-1).nonzero().reshape(-1)
    indices = _functions["stack"]([i.reshape(-1).index_select(0, inside) for i in (lines, columns)])
    found = assembled(rows.reshape(-1).index_select(0, inside), CooPattern(indices, shape))
    return found if layout in (None, COO) else converted(coalesced(found), layout)


def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:
    """The solution of a linear system with a CSR matrix: by SciPy, where that is installed.

    >>> x = torch.eye(2).to_sparse_csr() * 2
    >>> torch.sparse.spsolve(x, torch.ones(2))
    tensor([0.5000, 0.5000])
    """
    if (
        not is_sparse(input)
        or pattern_of(input).layout is not CSR
        or input.ndim != 2
        or input.shape[0] != input.shape[1]
    ):
        raise at_call(RuntimeError, "spsolve: expected a square matrix of the layout torch.sparse_csr")
    if other.ndim != 1 or other.shape[0] != input.shape[0]:
        raise at_call(RuntimeError, f"spsolve: expected a vector of {input.shape[0]} elements, got {list(other.shape)}")
    from .solve import solved

    return solved(products.opened_matrix(input)[0], other, pattern_of(input), not left)
