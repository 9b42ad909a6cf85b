"""The methods that convert: to sparse layouts, to dense tensors, to the places of another tensor."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import converted, dense, from_dense
from .history import assembled, read
from .methods import LAYOUT_WORDS as _WORDS
from .methods import dense_dim as _dense_dim
from .methods import layout_of as _layout
from .parts import BLOCKED, BSC, BSR, COO, CSC, CSR, is_sparse, pattern_of

_STRIDED = _core.strided


def to_sparse(input: Tensor, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> Tensor:
    """The elements that are not zero, as a sparse tensor: COO, or another layout.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.tensor([[0., 2.], [0., 3.]]).to_sparse()
    tensor(indices=tensor([[0, 1],
                           [1, 1]]),
           values=tensor([2., 3.]),
           size=(2, 2), nnz=2, layout=torch.sparse_coo)
    """
    wanted = COO if layout is None else layout
    if wanted is _STRIDED and not is_sparse(input):
        return input
    name = {_STRIDED: "dense_to_sparse", COO: "sparse_coo_to_sparse"}.get(_layout(input), "sparse_compressed_to_sparse")
    if wanted is _STRIDED or (blocksize is not None and wanted not in BLOCKED):
        raise at_call(
            RuntimeError,
            f"{name}: conversion from {_WORDS[_layout(input)]} to {_WORDS[wanted]}"
            + (" with blocksize argument given is not supported" if blocksize is not None else " is not supported"),
        )
    if wanted in BLOCKED and blocksize is None:
        if _layout(input) is not wanted:
            raise at_call(
                RuntimeError,
                f"{name}: conversion from {_WORDS[_layout(input)]} to {_WORDS[wanted]} without blocksize argument "
                "given is not supported",
            )
        blocksize = pattern_of(input).block
    if dense_dim is not None and is_sparse(input) and dense_dim != _dense_dim(input):
        raise at_call(
            RuntimeError,
            f"{name}: conversion from {_WORDS[_layout(input)]} to {_WORDS[wanted]} with dense_dim argument given is "
            "not supported",
        )
    _check_dims(input, wanted, blocksize, dense_dim or 0)
    return converted(input, wanted, tuple(blocksize) if blocksize is not None else None, dense_dim)


def to_sparse_dim(input: Tensor, sparse_dim: int) -> Tensor:
    """COO with so many sparse dimensions."""
    if is_sparse(input):
        if _layout(input) is not COO or sparse_dim != len(pattern_of(input).outer):
            raise at_call(
                RuntimeError,
                f"to_sparse: conversion from {_WORDS[_layout(input)]} to Sparse with sparse_dim argument "
                "!=self.sparse_dim() is not supported",
            )
        return input
    if not min(input.ndim, 1) <= sparse_dim <= input.ndim:
        raise at_call(
            RuntimeError,
            f"dense_to_sparse: sparse_dim argument must be in [{min(input.ndim, 1)},{input.ndim}] range, but "
            f"{sparse_dim} is given",
        )
    return from_dense(input, COO, (1, 1), input.ndim - sparse_dim)


def _check_dims(x: Tensor, layout: Any, block: Any, dense_dim: int) -> None:
    if layout is COO:
        return
    if is_sparse(x):
        if _layout(x) is COO and len(pattern_of(x).outer) != 2:
            raise at_call(
                RuntimeError,
                f"coo_to_sparse_{str(layout)[-3:]}: conversion from Sparse to {_WORDS[layout]} for input tensors with "
                f"sparse_dim()!=2 is not supported",
            )
        at = getattr(pattern_of(x), "batch", 0)
    else:
        at = x.ndim - dense_dim - 2
        if at < 0:
            raise at_call(
                RuntimeError,
                f"Only tensors with two sparse dimensions can be converted to the {_WORDS[layout]} layout, got a "
                f"tensor with {x.ndim} dimensions and dense_dim={dense_dim}",
            )
    if block is None:
        return
    if len(block) != 2 or min(block) < 1:
        raise at_call(
            RuntimeError,
            f"tensor_to_{str(layout)[-3:]}: blocksize needs to be a tuple of two positive integers, got {tuple(block)}",
        )
    if any(x.shape[at + i] % block[i] for i in (0, 1)):
        origin = "dense" if not is_sparse(x) else "coo" if _layout(x) is COO else "sparse_compressed"
        raise at_call(
            RuntimeError,
            f"{origin}_to_sparse_{str(layout)[-3:]}: tensor sparse size ({x.shape[at]},{x.shape[at + 1]}) must be "
            f"divisible by given blocksize ({block[0]},{block[1]})",
        )


def to_sparse_coo(input: Tensor) -> Tensor:
    """As a sparse tensor of the layout COO.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.tensor([0., 2.]).to_sparse_coo().values()
    tensor([2.])
    """
    return to_sparse(input)


def to_sparse_csr(input: Tensor, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout CSR: by rows.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(2).to_sparse_csr().crow_indices()
    tensor([0, 1, 2])
    """
    return to_sparse(input, CSR, None, dense_dim)


def to_sparse_csc(input: Tensor, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout CSC: by columns.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(2).to_sparse_csc().ccol_indices()
    tensor([0, 1, 2])
    """
    return to_sparse(input, CSC, None, dense_dim)


def to_sparse_bsr(input: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout BSR: blocks, by rows of blocks.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(4).to_sparse_bsr((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return to_sparse(input, BSR, blocksize, dense_dim)


def to_sparse_bsc(input: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout BSC: blocks, by columns of blocks.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(4).to_sparse_bsc((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return to_sparse(input, BSC, blocksize, dense_dim)


def to_dense(input: Tensor, dtype: Any = None, masked_grad: bool | None = None) -> Tensor:
    """The dense tensor with the same elements; itself if it is dense.

    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: g; for a sparse input at the places that it has, unless `masked_grad` is False

    >>> torch.tensor([1., 2.]).to_sparse().to_dense()
    tensor([1., 2.])
    """
    found = dense(input, masked_grad is not False)
    return found if dtype is None else found.to(dtype)


def sparse_mask(input: Tensor, mask: Tensor) -> Tensor:
    """The elements at the places that a sparse tensor has.

    Shape and dtype: The shape of the mask, the dtype and values of the input.
    Derivative: g, as a sparse tensor, or as a dense one for a dense input

    >>> mask = torch.eye(2).to_sparse()
    >>> torch.ones(2, 2).sparse_mask(mask).values()
    tensor([1., 1.])
    """
    if not is_sparse(mask):
        raise at_call(RuntimeError, "sparse_mask(): mask must be a sparse tensor, but got one of layout torch.strided")
    if input.shape != mask.shape:
        raise at_call(
            RuntimeError,
            f"sparse_mask(): operands have incompatible sizes; self has size {list(input.shape)} but mask has size "
            f"{list(mask.shape)}",
        )
    pattern = pattern_of(mask)
    if is_sparse(input) and pattern.layout is COO:
        return _remasked(input, pattern)
    return assembled(read(input, pattern), pattern)


@differentiable(name="SparseMaskBackward0")
def _remasked(x: Tensor, pattern: Any) -> Tensor:
    return assembled(read(x, pattern), pattern)


@_remasked.gradient("x")
def _(g: Tensor) -> Tensor:
    return g
