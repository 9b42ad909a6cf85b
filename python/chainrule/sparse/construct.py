"""Making sparse tensors from indices and values, as torch.sparse_coo_tensor and its kin do."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .history import assembled
from .invariants import check_compressed, check_coo, check_invariants_of, check_order, checks_invariants
from .parts import BLOCKED, BSC, BSR, COO, CSC, CSR, CompressedPattern, CooPattern, is_sparse, make

_functions = _core.functions


def _as_tensor(data: Any, dtype: Any = None) -> Tensor:
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return _functions["tensor"](data, dtype=dtype)


def finished(made: Tensor, requires_grad: bool | None) -> Tensor:
    return made.detach().requires_grad_() if requires_grad else made


def refuse_device(device: Any) -> None:
    if device is not None and _core.device(device).type != "cpu":
        raise at_call(NotImplementedError, f"sparse tensors are on the CPU here, not on {device}")


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor of the layout COO: `values` at `indices`, which have a row for each sparse dimension and a column
    for each value; values of one place count together.

    Shape and dtype: `size`, or the smallest that has room; the dtype of the values.
    Derivative: values: g at the indices

    >>> torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 5.]])
    """
    refuse_device(device)
    if values is None:
        return empty_coo(indices if size is None else size, dtype, requires_grad)
    numbers, at = _as_tensor(values, dtype), _as_tensor(indices)
    at = at.to(_core.int64)
    if numbers.ndim == 0:
        numbers = numbers.expand(at.shape[1] if at.ndim == 2 else 1)
    if size is None:
        size = _least_size(at, numbers)
    size = tuple(int(n) for n in size)
    check_coo(at, numbers, size)
    pattern = CooPattern(at.detach(), size, bool(is_coalesced) or at.shape[1] < 2)
    if is_coalesced and checks_invariants(check_invariants):
        check_invariants_of(pattern)
    return finished(assembled(numbers, pattern), requires_grad)


def _least_size(indices: Tensor, values: Tensor) -> tuple[int, ...]:
    if indices.ndim != 2:
        raise at_call(
            RuntimeError,
            f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}",
        )
    if indices.numel() == 0:
        return (*[0] * indices.shape[0], *values.shape[1:])
    low = indices.amin(1)
    if bool((low < 0).any()):
        dim = int((low < 0).nonzero()[0])
        raise at_call(RuntimeError, f"found negative index {int(low[dim])} for dim {dim}")
    return (*(int(n) + 1 for n in indices.amax(1)), *values.shape[1:])


def empty_coo(size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros, without an entry."""
    size = tuple(int(n) for n in size)
    pattern = CooPattern(_functions["zeros"](len(size), 0, dtype=_core.int64), size, True)
    return finished(make(pattern, _functions["zeros"](0, dtype=dtype)), requires_grad)


def empty_compressed(size: Any, layout: Any, dtype: Any = None, block: tuple[int, int] = (1, 1)) -> Tensor:
    """Zeros, without an entry."""
    size = tuple(int(n) for n in size)
    if len(size) < 2:
        raise at_call(
            RuntimeError,
            f"torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size {list(size)}",
        )
    batch = size[:-2]
    lines = size[-2] // block[0] if layout in (CSR, BSR) else size[-1] // block[1]
    zeros = _functions["zeros"]
    starts, plain = zeros(*batch, lines + 1, dtype=_core.int64), zeros(*batch, 0, dtype=_core.int64)
    pattern = CompressedPattern(layout, starts, plain, size, block)
    return make(pattern, zeros(*batch, 0, *(block if layout in BLOCKED else ()), dtype=dtype))


# ---- compressed layouts


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A sparse tensor of the layout CSR, CSC, BSR or BSC: where each row (column) starts, the other index of each value
    or block, and the values.

    Shape and dtype: `size`, or the smallest that has room; the dtype of the values.
    Derivative: values: g at the indices

    >>> torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [3., 4.], (2, 2), layout=torch.sparse_csr).to_dense()
    tensor([[0., 3.],
            [4., 0.]])
    """
    refuse_device(device)
    if layout not in (CSR, CSC, BSR, BSC):
        words = {None: "none", _core.strided: "Strided", COO: "Sparse"}[layout]
        raise at_call(
            RuntimeError, f"sparse_compressed_tensor expected sparse compressed tensor layout but got {words}"
        )
    starts, plain = _as_tensor(compressed_indices), _as_tensor(plain_indices)
    numbers = _as_tensor(values, dtype)
    if size is None:
        size = _least_compressed(layout, starts, plain, numbers)
    size = tuple(int(n) for n in size)
    every = checks_invariants(check_invariants)
    block = check_compressed(layout, starts, plain, numbers, size, every)
    pattern = CompressedPattern(layout, starts.detach(), plain.detach(), size, block)
    if every:
        check_order(pattern)
    return finished(assembled(numbers, pattern), requires_grad)


def _least_compressed(layout: Any, starts: Tensor, plain: Tensor, values: Tensor) -> tuple[int, ...]:
    batch = starts.ndim - 1
    at = batch + 1
    blocked = layout in BLOCKED
    if batch < 0 or values.ndim < at + 2 * blocked:
        return ()  # check_compressed says what is wrong
    height, width = values.shape[at : at + 2] if blocked else (1, 1)
    lines = starts.shape[-1] - 1
    other = int(plain.max()) + 1 if plain.numel() else 0
    rows, columns = (lines, other) if layout in (CSR, BSR) else (other, lines)
    return (*starts.shape[:-1], rows * height, columns * width, *values.shape[at + 2 * blocked :])


_OPTIONS = ("dtype", "layout", "device", "pin_memory", "requires_grad", "check_invariants")


def _of_layout(name: str, first: str, second: str, layout: Any, example: str) -> Any:
    def maker(
        compressed: Any,
        plain: Any,
        values: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        check_invariants: bool | None = None,
    ) -> Tensor:
        return sparse_compressed_tensor(
            compressed, plain, values, size, dtype, layout, device, pin_memory, requires_grad, check_invariants
        )

    maker.__name__ = maker.__qualname__ = name
    maker.__doc__ = f"""A sparse tensor of the layout {layout}, from {first}, {second} and values.

    Shape and dtype: `size`, or the smallest that has room; the dtype of the values.
    Derivative: values: g at the indices

    {example}
    """
    return maker


def _example(name: str, values: str) -> str:
    return f""">>> torch.{name}([0, 1, 2], [1, 0], {values}, (2, 2)).to_dense()
    tensor([[0., 3.],
            [4., 0.]])"""


_FLAT, _BLOCKS = "[3., 4.]", "[[[3.]], [[4.]]]"
sparse_csr_tensor = _of_layout(
    "sparse_csr_tensor", "crow_indices", "col_indices", CSR, _example("sparse_csr_tensor", _FLAT)
)
sparse_csc_tensor = _of_layout(
    "sparse_csc_tensor", "ccol_indices", "row_indices", CSC, _example("sparse_csc_tensor", "[4., 3.]")
)
sparse_bsr_tensor = _of_layout(
    "sparse_bsr_tensor", "crow_indices", "col_indices", BSR, _example("sparse_bsr_tensor", _BLOCKS)
)
sparse_bsc_tensor = _of_layout(
    "sparse_bsc_tensor", "ccol_indices", "row_indices", BSC, _example("sparse_bsc_tensor", "[[[4.]], [[3.]]]")
)


def made(layout: Any, name: str, size: Any, dtype: Any, requires_grad: bool) -> Tensor:
    """What torch.zeros(2, 3, layout=torch.sparse_coo) gives."""
    size = (size,) if isinstance(size, int) else tuple(size)
    if layout is COO:
        return empty_coo(size, dtype, requires_grad)
    if layout in BLOCKED:
        kind = "zeros" if name == "zeros" else "empty"
        raise at_call(
            RuntimeError,
            f"{kind}_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{'SparseBsr' if layout is BSR else 'SparseBsc'}",
        )
    return finished(empty_compressed(size, layout, dtype), requires_grad)


def new(input: Tensor, *args: Any, device: Any = None) -> Tensor:
    """x.new(...) of COO: without entries and of these sizes, or with these indices and values."""
    from ..legacy_constructor import no_combination

    if input.layout is not COO:
        raise at_call(RuntimeError, "Cannot map DispatchKey SparseCsrCPU to a unique layout.")
    refuse_device(device)
    if args and all(isinstance(a, Tensor) and not is_sparse(a) for a in args[:2]) and len(args) in (2, 3):
        return sparse_coo_tensor(args[0], args[1], args[2] if len(args) == 3 else None, dtype=input.dtype)
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], _core.Size):
        raise at_call(
            TypeError,
            "SparseTensor.new(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
            "strided tensor and convert it to sparse via to_sparse.",
        )
    if len(args) == 1 and isinstance(args[0], _core.Size):
        args = tuple(args[0])
    if not all(isinstance(n, int) for n in args):
        raise no_combination(args, {})
    return empty_coo(args or (0,), input.dtype)
