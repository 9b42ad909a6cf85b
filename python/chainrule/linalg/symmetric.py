"""A = LDLᵀ for symmetric or Hermitian matrices that need not be positive-definite."""

from __future__ import annotations

from .. import int32 as int32_dtype
from .._core import Tensor
from ..autograd import differentiable
from . import lapack
from .checks import broadcast_batches, check_floating, check_kernel, check_square
from .failures import check_info
from .triangles import check_right_side


@differentiable(name="NotImplemented")
def _ldl_factor(input: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    ld = lapack.columns(input.tril())
    return ld, *lapack.sytrf(ld, hermitian)


@_ldl_factor.gradient
def _(g):
    raise RuntimeError("derivative for aten::linalg_ldl_factor_ex is not implemented")


def _zero_in_d(code: int) -> str:
    return f"The factorization has a zero at D[{code},{code}]: the matrix is singular (error code: {code})."


def _ldl_checked(input: Tensor, hermitian: bool, function: str | None) -> tuple[Tensor, Tensor, Tensor]:
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_floating(input, "torch.linalg.ldl_factor_ex")
    check_kernel(input, "ldl_factor_kernel_cpu")
    found = _ldl_factor(input, hermitian)
    if function:
        check_info(found[2], function, _zero_in_d, RuntimeError)
    return found


def linalg_ldl_factor_ex(input: Tensor, hermitian: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """L and D in one matrix, the pivots, and where D has its first zero."""
    return _ldl_checked(input, hermitian, "torch.linalg.ldl_factor_ex" if check_errors else None)


def linalg_ldl_factor(input: Tensor, hermitian: bool) -> tuple[Tensor, Tensor]:
    """L and D in one matrix, and the pivots."""
    return _ldl_checked(input, hermitian, "torch.linalg.ldl_factor")[:2]


@differentiable(name="NotImplemented")
def _ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    ld, b = broadcast_batches(LD, B)
    x = lapack.columns(b)
    lapack.sytrs(lapack.columns(ld), pivots.expand(ld.shape[:-1]).contiguous(), x, hermitian)
    return x


@_ldl_solve.gradient
def _(g):
    raise RuntimeError("derivative for aten::linalg_ldl_solve is not implemented")


def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    """The X with AX = B, from what ldl_factor gave for A."""
    function = "torch.linalg.ldl_solve"
    check_square(LD, function)
    check_floating(LD, function)
    if B.ndim < 2:
        raise RuntimeError(
            f"{function}: Expected B to have at least 2 dimensions, but it has {B.ndim} dimensions instead"
        )
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            f"{function}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if pivots.dtype != int32_dtype:
        raise RuntimeError(
            f"{function}: Expected pivots to be integers of 32 bits, as ldl_factor gives them. Got {pivots.dtype}"
        )
    check_right_side(B, LD, function)
    check_kernel(LD, "ldl_solve_kernel_cpu")
    _check_pivots(pivots)
    return _ldl_solve(LD, pivots, B, hermitian)


def _check_pivots(pivots: Tensor) -> None:
    """LAPACK would read outside the matrix."""
    size = pivots.shape[-1]
    for holds, rule in ((pivots.abs() >= 1, "|pivot| >= 1"), (pivots.abs() <= size, "|pivot| <= LD.size(-2)")):
        if not holds.all():
            raise RuntimeError(
                f"Pivots given to ldl_solve must all satisfy {rule}. Did you properly pass the result of ldl_factor?"
            )
    two = pivots < 0  # each of a pair of rows that share a block of D: an odd one's partner would be outside
    before = two.cumsum(-1) % 2
    if pivots.numel() and bool(((before != 0) & ~two).any() | (before[..., -1] != 0).any()):
        raise RuntimeError(
            "torch.linalg.ldl_solve: negative pivots must come in pairs. Did you properly pass the result of "
            "ldl_factor?"
        )
