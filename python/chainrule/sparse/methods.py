"""The methods that are about the parts and the sizes of sparse tensors."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .elementwise import cast, unsupported
from .history import coalesced, values_of
from .parts import BSC, BSR, COO, CSC, CSR, LAYOUT_WORDS, CooPattern, is_sparse, layout_of, make, pattern_of, raw_values

_functions = _core.functions


def _expect(name: str, x: Tensor, layouts: tuple, words: str) -> Any:
    if layout_of(x) not in layouts:
        raise at_call(RuntimeError, f"{name} expected sparse {words} layout but got {LAYOUT_WORDS[layout_of(x)]}")
    return pattern_of(x)


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
    found = values_of(input)
    return found if found.requires_grad else found.view(found.shape)


def _indices(input: Tensor) -> Tensor:
    """The places of a tensor of COO as they stand."""
    if layout_of(input) is not COO:
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


def dense_dim(input: Tensor) -> int:
    """The number of dimensions that are stored densely: all of them for a dense tensor.

    Shape and dtype: Any tensor. The result is a Python int.
    Derivative: none, the result is an int

    >>> torch.ones(2, 3).dense_dim(), torch.ones(2, 3).to_sparse(1).dense_dim()
    (2, 1)
    """
    if not is_sparse(input):
        return input.ndim
    pattern = pattern_of(input)
    return len(pattern.size) - (len(pattern.outer) if pattern.layout is COO else pattern.batch + 2)


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
        check_growth(pattern, size, sparse_dim, dense_dim)
    if not pattern.count:
        return sparse_resize_and_clear_(input, size, sparse_dim, dense_dim)
    numbers = raw_values(input)
    if tuple(numbers.shape[1:]) != size[sparse_dim:]:
        before, numbers = numbers, numbers.new_zeros(pattern.count, *size[sparse_dim:])
        numbers.view(-1)[: before.numel()] = before.reshape(-1)  # one after another, as resize_ leaves them
    return _core.become(input, make(CooPattern(pattern.indices, size, pattern.coalesced), numbers))


def check_growth(pattern: Any, size: tuple[int, ...], sparse_dim: int, dense_dim: int) -> None:
    """Raises where a tensor that is not empty cannot be given this size."""
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
