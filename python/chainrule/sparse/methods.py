"""The methods that are about sparse tensors: conversions, parts, masks, sizes."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import converted, dense, from_dense
from .elementwise import cast, unsupported
from .history import assembled, coalesced, read, values_of
from .parts import BLOCKED, BSC, BSR, COO, CSC, CSR, CooPattern, is_sparse, make, pattern_of, raw_values

_functions = _core.functions
_STRIDED = _core.strided
_WORDS = {
    _STRIDED: "Strided",
    COO: "Sparse",
    CSR: "SparseCsr",
    CSC: "SparseCsc",
    BSR: "SparseBsr",
    BSC: "SparseBsc",
}


def _layout(x: Tensor) -> Any:
    return pattern_of(x).layout if is_sparse(x) else _STRIDED


def _expect(name: str, x: Tensor, layouts: tuple, words: str) -> Any:
    if _layout(x) not in layouts:
        raise at_call(RuntimeError, f"{name} expected sparse {words} layout but got {_WORDS[_layout(x)]}")
    return pattern_of(x)


# ---- conversions


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
            f"dense_to_sparse: sparse_dim argument must be in [{min(input.ndim, 1)},{input.ndim}] range, but {sparse_dim} is given",
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
                f"Only tensors with two sparse dimensions can be converted to the {_WORDS[layout]} layout, got a tensor "
                f"with {x.ndim} dimensions and dense_dim={dense_dim}",
            )
    if block is None:
        return
    if len(block) != 2 or min(block) < 1:
        raise at_call(
            RuntimeError, f"tensor_to_{str(layout)[-3:]}: blocksize needs to be a tuple of two positive integers, got {tuple(block)}"
        )
    if any(x.shape[at + i] % block[i] for i in (0, 1)):
        origin = "dense" if not is_sparse(x) else "coo" if _layout(x) is COO else "sparse_compressed"
        raise at_call(
            RuntimeError,
            f"{origin}_to_sparse_{str(layout)[-3:]}: tensor sparse size ({x.shape[at]},{x.shape[at + 1]}) must be divisible "
            f"by given blocksize ({block[0]},{block[1]})",
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


# ---- parts


def coalesce(input: Tensor) -> Tensor:
    """COO with each place once, in order; the values of one place are added.

    Shape and dtype: Those of the input.
    Derivative: g

    >>> torch.sparse_coo_tensor([[1, 1]], [2., 3.], (2,)).coalesce().values()
    tensor([5.])
    """
    _expect("coalesce", input, (COO,), "coordinate tensor")
    return coalesced(input)


def is_coalesced(input: Tensor) -> bool:
    """Whether each place is there once, in order.

    Shape and dtype: A tensor of the layout COO. The result is a bool.
    Derivative: none, the result is a bool

    >>> torch.eye(2).to_sparse().is_coalesced()
    True
    """
    return _expect("is_coalesced", input, (COO,), "coordinate tensor").coalesced


def indices(input: Tensor) -> Tensor:
    """The places of a coalesced tensor: a row for each sparse dimension.

    Shape and dtype: (sparse dimensions, entries), int64.
    Derivative: none, the result is of integers

    >>> torch.tensor([0., 2., 3.]).to_sparse().indices()
    tensor([[1, 2]])
    """
    pattern = _expect("indices", input, (COO,), "coordinate tensor")
    if not pattern.coalesced:
        raise at_call(RuntimeError, "Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return pattern.indices


def values(input: Tensor) -> Tensor:
    """The values of a sparse tensor; one of COO has to be coalesced.

    Shape and dtype: (entries, ...) in the dtype of the input.
    Derivative: a sparse tensor with the values g

    >>> torch.tensor([0., 2., 3.]).to_sparse().values()
    tensor([2., 3.])
    """
    pattern = _expect("values", input, (COO, CSR, CSC, BSR, BSC), "tensor")
    if pattern.layout is COO and not pattern.coalesced:
        raise at_call(RuntimeError, "Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    return values_of(input)


def _indices(input: Tensor) -> Tensor:
    """The places of a tensor of COO as they stand."""
    if _layout(input) is not COO:
        raise unsupported("_indices", input)
    return pattern_of(input).indices


def _values(input: Tensor) -> Tensor:
    """The values as they stand, without history."""
    if not is_sparse(input):
        raise unsupported("_values", input)
    return raw_values(input)


def _nnz(input: Tensor) -> int:
    """How many values there are; in each batch, where there are batches."""
    if not is_sparse(input):
        raise unsupported("_nnz", input)
    pattern = pattern_of(input)
    return pattern.count if pattern.layout is COO else pattern.plain.shape[-1]


def _coalesced_(input: Tensor, coalesced: bool) -> Tensor:
    """Says that the places are there once each, in order, or that they are not."""
    own = pattern_of(input)
    pattern = CooPattern(own.indices, own.size, bool(coalesced))
    _core.sparse_parts(input).pattern = pattern
    return input


def _of_row(name: str, layouts: tuple, words: str, which: str) -> Any:
    def method(input: Tensor) -> Tensor:
        return getattr(_expect(name, input, layouts, words), which)

    starts = which == "starts"
    lines = "row" if "row" in words else "column"
    what = f"Where each {lines} begins among the values" if starts else f"The other index of each value of a {lines}"
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""{what}.

    Shape and dtype: {f"({lines}s + 1)" if starts else "(entries)"}, int64 or int32.
    Derivative: none, the result is of integers

    >>> torch.eye(2).to_sparse_{"csr" if lines == "row" else "csc"}().{name}()
    tensor([{"0, 1, 2" if starts else "0, 1"}])
    """
    return method


_ROWS, _COLUMNS = "row compressed tensor", "column compressed tensor"
crow_indices = _of_row("crow_indices", (CSR, BSR), _ROWS, "starts")
col_indices = _of_row("col_indices", (CSR, BSR), _ROWS, "plain")
ccol_indices = _of_row("ccol_indices", (CSC, BSC), _COLUMNS, "starts")
row_indices = _of_row("row_indices", (CSC, BSC), _COLUMNS, "plain")


# ---- sizes


def sparse_dim(input: Tensor) -> int:
    """The number of dimensions that are stored sparsely: none for a dense tensor.

    Shape and dtype: Any tensor. The result is a Python int.
    Derivative: none, the result is an int

    >>> torch.ones(2, 3).sparse_dim(), torch.ones(2, 3).to_sparse().sparse_dim()
    (0, 2)
    """
    if not is_sparse(input):
        return 0
    pattern = pattern_of(input)
    return len(pattern.outer) if pattern.layout is COO else 2


def _dense_dim(x: Tensor) -> int:
    if not is_sparse(x):
        return x.ndim
    pattern = pattern_of(x)
    return len(pattern.size) - (len(pattern.outer) if pattern.layout is COO else pattern.batch + 2)


def dense_dim(input: Tensor) -> int:
    """The number of dimensions that are stored densely: all of them for a dense tensor.

    Shape and dtype: Any tensor. The result is a Python int.
    Derivative: none, the result is an int

    >>> torch.ones(2, 3).dense_dim(), torch.ones(2, 3).to_sparse(1).dense_dim()
    (2, 1)
    """
    return _dense_dim(input)


def sparse_resize_(input: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Gives a tensor of COO another size, in place; where there are values, no dimension may become smaller.

    Shape and dtype: `size`, with so many sparse and dense dimensions.
    Derivative: none

    >>> torch.tensor([0., 2.]).to_sparse().sparse_resize_((5,), 1, 0).shape
    torch.Size([5])
    """
    pattern, size = _expect("sparse_resize_", input, (COO,), "coordinate tensor"), tuple(size)
    if sparse_dim + dense_dim != len(size):
        raise at_call(
            RuntimeError,
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}",
        )
    if pattern.count:
        _check_growth(pattern, size, sparse_dim, dense_dim)
    if not pattern.count:
        return sparse_resize_and_clear_(input, size, sparse_dim, dense_dim)
    numbers = raw_values(input)
    if tuple(numbers.shape[1:]) != size[sparse_dim:]:
        wider = numbers.new_zeros(pattern.count, *size[sparse_dim:])
        wider[tuple(slice(0, n) for n in numbers.shape)] = numbers
        numbers = wider
    return _core.become(input, make(CooPattern(pattern.indices, size, pattern.coalesced), numbers))


def _check_growth(pattern: Any, size: tuple[int, ...], sparse_dim: int, dense_dim: int) -> None:
    n = len(pattern.outer)
    for kind, had, has in (("sparse", n, sparse_dim), ("dense", len(pattern.size) - n, dense_dim)):
        if had != has:
            raise at_call(
                RuntimeError,
                f"changing the number of {kind} dimensions (from {had} to {has}) on a non-empty sparse tensor is not "
                "supported.",
            )
    for kind, before, after in (("sparse", pattern.outer, size[:n]), ("dense", pattern.size[n:], size[n:])):
        if any(b > a for b, a in zip(before, after, strict=True)):
            raise at_call(
                RuntimeError,
                f"shrinking the size of {kind} dimensions (from {list(before)} to {list(after)}) on a non-empty sparse "
                "tensor is not supported.",
            )


def sparse_resize_and_clear_(input: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Gives a tensor of COO another size and takes its values away, in place.

    Shape and dtype: `size`, with so many sparse and dense dimensions.
    Derivative: none

    >>> torch.tensor([0., 2.]).to_sparse().sparse_resize_and_clear_((5,), 1, 0).values()
    tensor([])
    """
    size = tuple(size)
    if sparse_dim + dense_dim != len(size):
        raise at_call(
            RuntimeError,
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}",
        )
    none = _functions["zeros"](sparse_dim, 0, dtype=_core.int64)
    numbers = _functions["zeros"](0, *size[sparse_dim:], dtype=input.dtype)
    return _core.become(input, make(CooPattern(none, size, True), numbers))


def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """Gives a tensor of COO the size of another one, in place.

    Shape and dtype: The size of the template.
    Derivative: none

    >>> x = torch.sparse_coo_tensor(size=(2,))
    >>> x.resize_as_sparse_(torch.ones(3, 2).to_sparse()).shape
    torch.Size([3, 2])
    """
    other = the_template
    return sparse_resize_(input, other.shape, sparse_dim(other), _dense_dim(other))


def moved(input: Tensor, *args: Any, **options: Any) -> Tensor:
    """x.to(...): another dtype, or a copy."""
    from ..nn.modules.conversion import read_to

    if "other" in options:
        options["tensor"] = options.pop("other")
    dtype, device, _, copy = read_to(*args, **options)
    if device is not None and _core.device(device).type != "cpu":
        raise at_call(NotImplementedError, f"sparse tensors are on the CPU here, not on {device}")
    result = input if dtype is None else cast(input, dtype)
    return duplicate(input) if copy and result is input else result


def duplicate(input: Tensor, **options: Any) -> Tensor:
    """A copy with memory of its own for the values."""
    from .elementwise import on_parts

    return on_parts(Tensor.clone, input)
