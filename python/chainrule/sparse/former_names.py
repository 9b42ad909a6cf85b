"""Products of matrices under names that PyTorch has from before torch.mm took sparse ones."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .convert import from_dense, to_coo
from .elementwise import unsupported
from .functions import addmm as saddmm
from .parts import COO, LAYOUT_WORDS, is_sparse, layout_of
from .products import mm as _product

__all__ = ["dsmm", "hsmm", "hspmm", "saddmm", "smm", "spmm", "sspaddmm"]

spmm = dsmm = _core.functions["mm"]


def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse one.

    Shape and dtype: that of input @ mat, in COO.
    Derivative: that of the product, at the elements that input has.

    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 1)).to_dense()
    tensor([[1.],
            [1.]])
    """
    return sspaddmm(None, input, mat2)


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


def sspaddmm(input: Tensor | None, mat1: Tensor, mat2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), as a sparse tensor; mat2 is dense.

    Shape and dtype: that of input, in COO.
    Derivative: beta for input; that of the product, times alpha, at the elements that mat1 has.

    >>> x = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(x, x, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
    if input is not None and not is_sparse(input):
        raise unsupported("sspaddmm", input)
    for which, mat, layout in (("mat1", mat1, COO), ("mat2", mat2, _core.strided)):
        if layout_of(mat) is not layout:
            words = [LAYOUT_WORDS[layout].lower(), LAYOUT_WORDS[layout_of(mat)]]
            raise at_call(
                RuntimeError,
                f"sspaddmm: expected '{which}' to have {words[0]} layout, got '{which}' with layout {words[1]}",
            )
    result = to_coo(from_dense(_product(mat1, mat2), COO)) * alpha
    return result if input is None else input * beta + result
