"""Whether indices, values and a size make a sparse tensor.

Indices that lead beyond the size are always refused, since every operation would otherwise have to look at them.
Order and duplicates within compressed rows, and whether COO is as coalesced as somebody says, are looked at where the
invariants are checked: `torch.sparse.check_sparse_tensor_invariants`, or the argument `check_invariants`.
"""

from __future__ import annotations

import functools
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .elementwise import dtype_name
from .parts import BLOCKED, BY_ROW, raveled

_functions = _core.functions
_checking = False


class check_sparse_tensor_invariants:  # noqa: N801
    """Switches the check of all invariants of sparse tensors on or off: as a context, a decorator, or with enable() and
    disable().

    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether invariants are checked."""
        return _checking

    @staticmethod
    def enable() -> None:
        """Checks them from now on."""
        _set(True)

    @staticmethod
    def disable() -> None:
        """No longer checks them."""
        _set(False)

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.saved_state = _checking
        _set(self.state)

    def __exit__(self, *error: object) -> None:
        assert self.saved_state is not None
        _set(self.saved_state)
        self.saved_state = None

    def __call__(self, function: Any) -> Any:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return checked


def _set(on: bool) -> None:
    global _checking
    _checking = on


def checks_invariants(asked: bool | None) -> bool:
    """Whether this call does."""
    return _checking if asked is None else asked


def _require(holds: Any, text: str) -> None:
    if not bool(holds):
        raise at_call(RuntimeError, text)


# ---- COO


def check_coo(indices: Tensor, values: Tensor, size: tuple[int, ...]) -> None:
    """Raises where they make no tensor."""
    _require(indices.ndim == 2, f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
    sparse_dim, dense_dim = indices.shape[0], values.ndim - 1
    _require(
        len(size) == sparse_dim + dense_dim,
        f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
        f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}",
    )
    _require(
        indices.shape[1] == values.shape[0],
        f"indices and values must have same nnz, but got nnz from indices: {indices.shape[1]}, "
        f"nnz from values: {values.shape[0]}",
    )
    _require(
        tuple(values.shape[1:]) == size[sparse_dim:],
        f"values has incorrect size, expected {[values.shape[0], *size[sparse_dim:]]}, got {list(values.shape)}",
    )
    negative = next((n for n in size if n < 0), 0)
    _require(negative == 0, f"Trying to create tensor with negative dimension {negative}: {list(size)}")
    if not indices.numel():
        return
    low, high = indices.amin(1).tolist(), indices.amax(1).tolist()
    for dim in range(sparse_dim):
        _require(low[dim] >= 0, f"found negative index {low[dim]} for dim {dim}")
        _require(
            high[dim] < size[dim],
            f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {high[dim]}",
        )


def check_invariants_of(pattern: Any) -> None:
    """Raises where somebody called indices coalesced that are not."""
    keys = pattern.keys
    _require(
        (keys[1:] > keys[:-1]).all(), "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
    )


# ---- compressed layouts


def _check_kinds(first: str, second: str, starts: Tensor, plain: Tensor, every: bool) -> None:
    for name, part in ((first, starts), (second, plain)):
        _require(
            not every or part.ndim == 0 or part.shape[-1] < 2 or part.stride(-1) == 1,
            f"expected {name} to be a contiguous tensor per batch",
        )
    _require(
        starts.dtype is plain.dtype,
        f"{first} and {second} must have the same dtype, bot got {dtype_name(starts.dtype)} and "
        f"{dtype_name(plain.dtype)}, respectively",
    )
    _require(
        starts.dtype in (_core.int32, _core.int64),
        f"{first} and {second} dtype must be Int or Long, but got {dtype_name(starts.dtype)}",
    )


def _check_dimensions(
    first: str, second: str, starts: Tensor, plain: Tensor, values: Tensor, size: tuple, blocked: int
) -> None:
    batch = starts.ndim - 1
    dense_dim = values.ndim - batch - blocked - 1
    _require(starts.ndim >= 1, f"{first} must have dimensionality >= 1 but got {starts.ndim}")
    _require(
        plain.ndim == starts.ndim,
        f"{first} and {second} dimensionalities must be equal but got {starts.ndim} and {plain.ndim}, respectively",
    )
    _require(
        dense_dim >= 0,
        f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {blocked}) but got "
        f"{values.ndim}",
    )
    _require(
        len(size) == batch + 2 + dense_dim,
        f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={batch} + 2 + {dense_dim}) "
        f"but got {len(size)}",
    )
    own, plains, theirs = tuple(starts.shape[:-1]), tuple(plain.shape[:-1]), tuple(values.shape[:batch])
    _require(
        own == plains == theirs == size[:batch],
        f"all batch dimensions of {first} (={list(own)}), {second} (={list(plains)}), and values (={list(theirs)}) "
        f"must be equal to tensor batch dimensions (={list(size[:batch])})",
    )


def check_compressed(
    layout: Any, starts: Tensor, plain: Tensor, values: Tensor, size: tuple[int, ...], every: bool = False
) -> tuple[int, int]:
    """Raises where they make no tensor; gives the size of a block."""
    by_row = layout in BY_ROW
    first, second = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
    _check_kinds(first, second, starts, plain, every)
    blocked, batch = 2 if layout in BLOCKED else 0, starts.ndim - 1
    _check_dimensions(first, second, starts, plain, values, size, blocked)
    block = tuple(values.shape[batch + 1 : batch + 3]) if blocked else (1, 1)
    rows, columns = size[batch : batch + 2]
    for i in (0, 1):
        _require(
            block[i] > 0 and (rows, columns)[i] % block[i] == 0,
            f"tensor shape[{batch + i}] (={(rows, columns)[i]}) must be divisible with blocksize[{i}] (={block[i]}) as "
            "defined by values shape",
        )
    lines, others = (rows // block[0], columns // block[1]) if by_row else (columns // block[1], rows // block[0])
    kind = ("row" if by_row else "column") + (" blocks" if blocked else "s")
    _require(
        starts.shape[-1] == lines + 1,
        f"{first}.shape[-1] must be equal to the number of {kind} + 1 (={lines + 1}), but got {starts.shape[-1]}",
    )
    count = plain.shape[-1]
    _require(
        values.shape[batch] == count,
        f"{second}.shape[-1] must be equal to nnz (={values.shape[batch]}) as defined by values.shape[{batch}], but "
        f"got {count}",
    )
    check_indices(layout, starts, plain, others, count, every)
    return block  # type: ignore[return-value]


def check_indices(layout: Any, starts: Tensor, plain: Tensor, others: int, count: int, every: bool) -> None:
    """Raises where indices lead out of bounds, or where a row has more entries than fit."""
    by_row = layout in BY_ROW
    first, second = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
    _require((starts[..., 0] == 0).all(), f"`{first}[..., 0] == 0` is not satisfied.")
    _require((starts[..., -1] == count).all(), f"`{first}[..., -1] == nnz` is not satisfied.")
    steps = starts.diff(dim=-1)
    _require(
        ((steps >= 0) & ((steps <= others) | (not every))).all(),
        f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {'ncols' if by_row else 'nrows'}` is not satisfied.",
    )
    _require(
        ((plain >= 0) & (plain < others)).all(),
        f"`0 <= {second} < {'ncols' if by_row else 'nrows'}` is not satisfied.",
    )


def check_order(pattern: Any) -> None:
    """Raises where the indices of a row are not sorted, or one is there twice."""
    keys, by_row = pattern.keys, pattern.by_row
    if not by_row:
        *batch, rows, columns = pattern.places
        sizes = (*pattern.outer[:-2], *reversed(pattern.outer[-2:]))
        keys = raveled((*batch, columns, rows), sizes)
    first, second, lines = (
        ("crow_indices", "col_indices", "nrows") if by_row else ("ccol_indices", "row_indices", "ncols")
    )
    _require(
        (keys[1:] > keys[:-1]).all(),
        f"`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {lines} are sorted and distinct "
        "along the last dimension values` is not satisfied.",
    )
