"""Linear systems with sparse matrices, solved by SciPy."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import dense
from .elementwise import unsupported
from .parts import BSR, COO, CSR, CompressedPattern, is_sparse, pattern_of


@differentiable(name="SparseSpsolveBackward0")
def solved(values: Tensor, other: Tensor, pattern: CompressedPattern, transposed: bool) -> Tensor:
    """The x with A x = other, or with the transpose of A."""
    try:
        from scipy import sparse
        from scipy.sparse.linalg import spsolve
    except ImportError:
        raise at_call(RuntimeError, "torch.sparse.spsolve: needs SciPy, which is not installed") from None
    parts = [x.detach().numpy() for x in (values, pattern.plain, pattern.starts)]
    matrix: Any = sparse.csr_matrix(tuple(parts), shape=pattern.size)
    found = spsolve((matrix.T if transposed else matrix).tocsc(), other.detach().numpy())
    return _core.functions["tensor"](found, dtype=other.dtype)


@solved.gradient("values")
def _(g: Tensor, y: Tensor, values: Tensor, pattern: CompressedPattern, transposed: bool) -> Tensor:
    rows, columns = pattern.places
    back = solved(values, g, pattern, not transposed)
    left, right = (y, back) if transposed else (back, y)
    return -left.index_select(0, rows) * right.index_select(0, columns)


@solved.gradient("other")
def _(g: Tensor, values: Tensor, pattern: CompressedPattern, transposed: bool) -> Tensor:
    return solved(values, g, pattern, not transposed)


def triangular_solve(
    input: Tensor,
    A: Tensor,  # noqa: N803
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """The X with AX = input for a triangular matrix of CSR or BSR; A is solved as a dense matrix.

    The second result is empty, as PyTorch's is. A matrix without entries gives NaN.
    """
    if not is_sparse(A):
        raise unsupported("empty_strided", input)
    layout = pattern_of(A).layout
    if layout is COO:
        raise unsupported("triangular_solve", A)
    if layout not in (CSR, BSR):
        raise at_call(ValueError, "triangular_solve: unsupported sparse layout.")
    found = _core.functions["triangular_solve"](input, dense(A), upper, transpose, unitriangular)
    solution = found.solution if pattern_of(A).plain.numel() else found.solution.new_full(input.shape, float("nan"))
    return type(found)((solution, solution.new_empty(0)))


RULES = {"triangular_solve": triangular_solve}
