"""The methods that convert: to sparse layouts, to dense tensors, to the places of another tensor."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import converted, dense, from_dense, to_coo
from .history import assembled, loose, read
from .parts import BLOCKED, BSC, BSR, COO, CSC, CSR, is_sparse, pattern_of
from .parts import LAYOUT_WORDS as _WORDS
from .parts import layout_of as _layout

_functions = _core.functions
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
    return _checked_conversion("", input, wanted, blocksize, dense_dim)


def _checked_conversion(suffix: str, x: Tensor, layout: Any, block: Any, dense_dim: int | None) -> Tensor:
    own = _layout(x)
    if layout is _STRIDED and block is None:
        return dense(x)
    coo = "coo_to_sparse" if suffix else "sparse_coo_to_sparse"
    origin = {_STRIDED: "dense_to_sparse", COO: coo}.get(own, "sparse_compressed_to_sparse")
    name = ("to_sparse" if own is layout else origin) + suffix
    _check_arguments(name, x, layout, block, dense_dim)
    if layout in (CSR, CSC) and own in BLOCKED:
        raise at_call(
            RuntimeError,
            f"{origin}_{str(layout)[-3:]}: expected SparseCsr or SparseCsc layout but got {_WORDS[own]}",
        )
    return converted(x, layout, tuple(block) if block is not None else None, dense_dim)


def to_sparse_dim(input: Tensor, sparse_dim: int) -> Tensor:
    """COO with so many sparse dimensions."""
    if is_sparse(input):
        is_coo = _layout(input) is COO
        if sparse_dim != (len(pattern_of(input).outer) if is_coo else 2):
            raise at_call(
                RuntimeError,
                f"{'to_sparse' if is_coo else 'sparse_compressed_to_sparse'}: conversion from "
                f"{_WORDS[_layout(input)]} to Sparse with sparse_dim argument !={'self.sparse_dim()' if is_coo else 2} "
                "is not supported",
            )
        return to_coo(input)
    if sparse_dim == 0 and input.ndim:
        raise at_call(RuntimeError, "dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if not 0 <= sparse_dim <= input.ndim:
        raise at_call(
            RuntimeError,
            f"dense_to_sparse: sparse_dim argument must be in [0,{input.ndim}] range, but {sparse_dim} is given",
        )
    return from_dense(input, COO, (1, 1), input.ndim - sparse_dim)


def _check_arguments(name: str, x: Tensor, layout: Any, block: Any, dense_dim: int | None) -> None:
    """Raises where PyTorch does not convert to this layout, or not with these arguments."""
    own = _layout(x)
    begin = f"{name}: conversion from {_WORDS[own]} to {_WORDS[layout]}"
    plain, blocked = own in (CSR, CSC), layout in BLOCKED
    if plain and blocked and pattern_of(x).batch:
        raise at_call(RuntimeError, f"{begin} for batched inputs is not supported")
    if block is not None and len(block) != 2:
        raise at_call(RuntimeError, f"{name}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if dense_dim is not None and own is not _STRIDED:
        raise at_call(RuntimeError, f"{begin} with dense_dim argument given is not supported")
    if blocked is (block is None):
        given = "without" if block is None else "with"
        raise at_call(RuntimeError, f"{begin} {given} blocksize argument given is not supported")
    if layout is COO or layout is _STRIDED:
        return
    if own is COO and len(pattern_of(x).outer) != 2:
        raise at_call(RuntimeError, f"{begin} for input tensors with sparse_dim()!=2 is not supported")
    at = pattern_of(x).batch if own not in (COO, _STRIDED) else 0
    if own is _STRIDED:
        at = _batch_of_dense(name, x, layout, dense_dim)
    if block is not None:
        _check_block(name, x, layout, tuple(block), at)


def _batch_of_dense(name: str, x: Tensor, layout: Any, dense_dim: int | None) -> int:
    """The number of dimensions before the matrix."""
    if x.ndim < 2:
        raise at_call(
            RuntimeError,
            f"Only tensors with two sparse dimensions can be converted to the {_WORDS[layout]} layout, got a tensor "
            f"with {x.ndim} dimensions",
        )
    if dense_dim is not None and not 0 <= dense_dim <= x.ndim - 2:
        raise at_call(
            RuntimeError,
            f"{name}: dense_dim argument must be in [0,{x.ndim - 2}] range, but {dense_dim} is given",
        )
    at = x.ndim - 2 - (dense_dim or 0)
    if 0 in x.shape[:at]:
        raise at_call(
            RuntimeError, f"to_sparse_{str(layout)[-3:]}: Expected product of batch dimensions to be non-zero."
        )
    return at


def _check_block(name: str, x: Tensor, layout: Any, block: tuple[int, ...], at: int) -> None:
    if min(block) < 1:
        raise at_call(RuntimeError, f"{name}: blocksize needs to be positive, but got {list(block)}")
    own = _layout(x)
    if own in BLOCKED and pattern_of(x).block != block:
        raise at_call(
            RuntimeError,
            f"{name}: conversion from {_WORDS[own]} to {_WORDS[layout]} with blocksize changed from "
            f"{list(pattern_of(x).block)} to {list(block)} is not supported",
        )
    if any(x.shape[at + i] % block[i] for i in (0, 1)):
        raise at_call(
            RuntimeError,
            f"{name}: tensor sparse size ({x.shape[at]},{x.shape[at + 1]}) must be divisible by given blocksize "
            f"({block[0]},{block[1]})",
        )


def to_sparse_coo(input: Tensor) -> Tensor:
    """As a sparse tensor of the layout COO.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.tensor([0., 2.]).to_sparse_coo().values()
    tensor([2.])
    """
    return _checked_conversion("", input, COO, None, None)


def to_sparse_csr(input: Tensor, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout CSR: by rows.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(2).to_sparse_csr().crow_indices()
    tensor([0, 1, 2])
    """
    return _checked_conversion("_csr", input, CSR, None, dense_dim)


def to_sparse_csc(input: Tensor, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout CSC: by columns.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(2).to_sparse_csc().ccol_indices()
    tensor([0, 1, 2])
    """
    return _checked_conversion("_csc", input, CSC, None, dense_dim)


def to_sparse_bsr(input: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout BSR: blocks, by rows of blocks.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(4).to_sparse_bsr((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return _checked_conversion("_bsr", input, BSR, blocksize, dense_dim)


def to_sparse_bsc(input: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """As a sparse tensor of the layout BSC: blocks, by columns of blocks.

    Shape and dtype: Those of the input.
    Derivative: g at the places that the result has

    >>> torch.eye(4).to_sparse_bsc((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return _checked_conversion("_bsc", input, BSC, blocksize, dense_dim)


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
    own, other = _layout(input), _layout(mask)
    if own not in (COO, _STRIDED) and other in (COO, _STRIDED):
        raise at_call(
            RuntimeError,
            f"sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got {_WORDS[other]}",
        )
    if input.shape != mask.shape:
        raise at_call(
            RuntimeError,
            f"sparse_mask(): operands have incompatible sizes; self has size {list(input.shape)} but mask has size "
            f"{list(mask.shape)}",
        )
    if other is _STRIDED:
        raise at_call(RuntimeError, "sparse_mask(): mask must be a sparse tensor, but got one of layout torch.strided")
    if input is mask:
        return input
    pattern = pattern_of(mask)
    if is_sparse(input) and pattern.layout is COO:
        return _remasked(input, pattern)
    if not is_sparse(input) and pattern.count:
        pattern = pattern.wide
    return assembled(read(input, pattern), pattern)


@differentiable(name="SparseMaskBackward0")
def _remasked(x: Tensor, pattern: Any) -> Tensor:
    return assembled(read(x, pattern), pattern)


@_remasked.gradient("x")
def _(g: Tensor, pattern: Any) -> Tensor:
    if pattern.coalesced:
        return assembled(read(g, pattern), pattern)
    ones = assembled(_functions["ones"](pattern.count, *pattern.size[len(pattern.outer) :], dtype=g.dtype), pattern)
    if not is_sparse(g):
        return g * dense(ones)
    own, values = loose(g)
    return assembled(values * read(ones, own), own)  # places that the mask names twice count twice
