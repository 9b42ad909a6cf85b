"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .. import bool as bool_dtype
from .. import cat, eye
from .._core import Tensor
from ..ops.checks import is_integral, spoken
from ..ops.products import cross, multiply_chain
from .checks import check_floating, check_same, check_square
from .solving import linalg_inv


def linalg_cross(input: Tensor, other: Tensor, dim: int) -> Tensor:
    """The vector product in three dimensions."""
    return cross(input, other, dim)


def linalg_diagonal(A: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonals of matrices, a view."""
    return A.diagonal(offset, dim1, dim2)


def linalg_vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """The dot product of vectors; the first is conjugated."""
    check_floating(x, "linalg.vecdot")
    check_same(x, y, "linalg.vecdot", "x", "y")
    return (x.conj() * y).sum(dim)


def linalg_vander(x: Tensor, N: int | None) -> Tensor:
    """The powers of each element, from the 0th to the N-1st."""
    if x.dtype == bool_dtype or (x.dtype.itemsize == 2 and not is_integral(x.dtype)):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {spoken(x.dtype)}"
        )
    if not x.ndim:
        x = x.unsqueeze(0)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError(f"N must be greater than 1. Got {count}")
    ones = x.new_ones(*x.shape, 1)
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    return cat([ones, powers], -1)


def linalg_matrix_power(input: Tensor, n: int) -> Tensor:
    """The matrix multiplied by itself; for negative n, its inverse."""
    check_square(input, "linalg.matrix_power")
    if n == 0:
        unit = eye(input.shape[-1], dtype=input.dtype)
        return input.clone().copy_(unit)  # with a history, as PyTorch has it
    base = linalg_inv(input) if n < 0 else input
    n = abs(n)
    if n == 1:
        return base.clone()
    result = None
    while n:
        if n & 1:
            result = base if result is None else result.matmul(base)
        n >>= 1
        if n:
            base = base.matmul(base)
    assert result is not None
    return result


matrix_power = linalg_matrix_power


def linalg_multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of matrices in the order that takes the fewest multiplications; the ends may be vectors."""
    count = len(tensors)
    if count < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    for i, t in enumerate(tensors):
        at_end = i in (0, count - 1)
        if t.ndim != 2 and not (at_end and t.ndim == 1):
            which = "the first tensor" if i == 0 else "the last tensor" if at_end else f"tensor {i}"
            raise RuntimeError(f"multi_dot(): {which} must be {'1D or 2D' if at_end else '2D'} but got {t.ndim}D")
        if t.dtype != tensors[0].dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {spoken(tensors[0].dtype)} and "
                f"tensor {i} {spoken(t.dtype)}"
            )
    row, column = tensors[0].ndim == 1, tensors[-1].ndim == 1
    matrices = list(tensors)
    if row:
        matrices[0] = matrices[0].unsqueeze(0)
    if column:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    for i, (a, b) in enumerate(pairwise(matrices)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and {list(b.shape)} cannot be "
                "multiplied"
            )
    product = multiply_chain(matrices)
    return product.view(product.shape[1 if row else 0 : 1 if column else 2])
