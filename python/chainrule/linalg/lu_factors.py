"""A = PLU: lower and upper triangles, and the order of the rows."""

from __future__ import annotations

from .. import arange, cat, eye
from .. import int32 as int32_dtype
from .._core import Tensor
from ..autograd import differentiable, keep
from . import lapack
from .checks import (
    broadcast_batches,
    check_equation,
    check_floating,
    check_kernel,
    check_matrix,
    check_same,
    check_square,
    warn_of_old_name,
)
from .failures import check_info, zero_pivot
from .triangles import solve_by_triangle


def rows_exchanged(pivots: Tensor) -> Tensor:
    """How many rows changed places."""
    return (pivots != arange(1, pivots.shape[-1] + 1, dtype=int32_dtype)).sum(-1)


def _check_pivot(pivot: bool) -> None:
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def _factors(LU: Tensor) -> tuple[Tensor, Tensor]:
    """L and U, which LAPACK keeps in one matrix; L's diagonal of ones is left out there."""
    m, n = LU.shape[-2:]
    k = min(m, n)
    lower = LU[..., :k].tril(-1)
    return lower + eye(m, k, dtype=LU.dtype), LU[..., :k, :].triu()


def _permutation_matrix(pivots: Tensor, like: Tensor) -> Tensor:
    """P, from the exchanges of rows that LAPACK made."""
    m = like.shape[-2]
    exchanged = lapack.columns(eye(m, dtype=like.dtype).expand(*like.shape[:-2], m, m))
    lapack.laswp(exchanged, pivots.contiguous())
    return exchanged.mT.clone()


def _raw_factor(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lu = lapack.columns(A)
    return lu, *lapack.getrf(lu)


def _gradient_of_a(gL: Tensor | None, gU: Tensor | None, P: Tensor, L: Tensor, U: Tensor) -> Tensor | None:
    """Of A, from the gradients of L and U.

    Square: P L⁻ᴴ (tril(Lᴴ gL, -1) + triu(gU Uᴴ)) U⁻ᴴ. The rows or columns beyond the square follow from A₂ = L₂ U or
    A₂ = P L U₂.
    """
    if gL is None and gU is None:
        return None
    m, n = L.shape[-2], U.shape[-1]
    k = min(m, n)
    gL = L.new_zeros(L.shape) if gL is None else gL
    gU = U.new_zeros(U.shape) if gU is None else gU
    square_l, square_u = L[..., :k, :], U[..., :k]
    phi_l = square_l.mH.matmul(gL[..., :k, :])
    phi_u = gU[..., :k].matmul(square_u.mH)
    below = above = None
    if m > k:  # L₂ = A₂ U⁻¹
        below = solve_by_triangle(square_u.mH, gL[..., k:, :], upper=False, left=False)
        phi_u = phi_u - L[..., k:, :].mH.matmul(gL[..., k:, :])
    if n > k:  # U₂ = L⁻¹ Pᵀ A₂
        above = solve_by_triangle(square_l.mH, gU[..., k:], upper=True, unit=True)
        phi_l = phi_l - gU[..., k:].matmul(U[..., k:].mH)
    inner = phi_l.tril(-1) + phi_u.triu()
    inner = solve_by_triangle(square_u.mH, inner, upper=False, left=False)
    result = solve_by_triangle(square_l.mH, inner, upper=True, unit=True)
    if below is not None:
        result = cat([result, below], -2)
    if above is not None:
        result = cat([result, above], -1)
    return P.matmul(result)


@differentiable(name="LinalgLuFactorExBackward0", shown={"y": ("LU", "pivots")})
def _lu_factor(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return _raw_factor(A)


@_lu_factor.gradient
def _(g, y):
    lu, pivots, _ = y
    if g[0] is None:
        return None
    L, U = _factors(lu)
    k = L.shape[-1]
    return _gradient_of_a(g[0][..., :k].tril(-1), g[0][..., :k, :].triu(), _permutation_matrix(pivots, lu), L, U)


def linalg_lu_factor_ex(A: Tensor, pivot: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """L and U in one matrix, the pivots, and where U's diagonal has its first zero."""
    return _lu_factor_checked(A, pivot, "torch.linalg.lu_factor_ex" if check_errors else None)


def linalg_lu_factor(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor]:
    """L and U in one matrix, and the pivots."""
    return _lu_factor_checked(A, pivot, "torch.linalg.lu_factor")[:2]


def _lu_factor_checked(A: Tensor, pivot: bool, function: str | None) -> tuple[Tensor, Tensor, Tensor]:
    if A.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    check_kernel(A, "lu_cpu")
    _check_pivot(pivot)
    lu, pivots, info = _lu_factor(A)
    if function:
        check_info(info, function, zero_pivot, RuntimeError)
    return lu, pivots, info


@differentiable(name="LinalgLuBackward0", constant=(0,), shown={"y": ("P", "L", "U")})
def _lu(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lu, pivots, _ = _raw_factor(A)
    return _permutation_matrix(pivots, lu), *_factors(lu)


@_lu.gradient
def _(g, y):
    return _gradient_of_a(g[1], g[2], *y)


def linalg_lu(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U with A = PLU."""
    if A.ndim < 2:
        raise RuntimeError(f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    check_kernel(A, "lu_cpu")
    _check_pivot(pivot)
    return _lu(A)


_SIZES = tuple(f"LU_data_sym_argsize_minus_{i}" for i in (2, 1))


@differentiable(name="LuUnpackBackward0", constant=(0,), shown={"shape": _SIZES})
def _lu_unpack(LU_data: Tensor, LU_pivots: Tensor, data: bool, pivots: bool) -> tuple[Tensor, Tensor, Tensor]:
    none = LU_data.new_zeros(0)
    P = _permutation_matrix(LU_pivots, LU_data) if pivots else none
    factors = _factors(LU_data) if data else (none.clone(), none.clone())
    return keep((P, *factors), shape=LU_data.shape[-2:])


@_lu_unpack.gradient("LU_data")
def _(g, shape, data):
    m, n = shape
    k = min(m, n)
    if not data or (g[1] is None and g[2] is None):
        return None
    result = None
    if g[1] is not None:
        lower = g[1].tril(-1)
        result = lower if n == k else cat([lower, lower.new_zeros(*lower.shape[:-1], n - k)], -1)
    if g[2] is not None:
        upper = g[2].triu()
        upper = upper if m == k else cat([upper, upper.new_zeros(*upper.shape[:-2], m - k, n)], -2)
        result = upper if result is None else result + upper
    return result


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool) -> tuple:
    """P, L and U of what lu_factor gave; empty tensors for what is not asked for."""
    if unpack_pivots and LU_pivots.dtype != int32_dtype:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype. "
            f"(Got {LU_pivots.dtype})"
        )
    check_matrix(LU_data, "torch.lu_unpack", "LU_data")
    m, n = LU_data.shape[-2:]
    if unpack_pivots:
        batch, found = LU_data.shape[:-2], LU_pivots.shape
        fits = tuple(found) == (*batch, min(m, n))
        if not fits or (LU_pivots.numel() and not bool(((LU_pivots >= 1) & (LU_pivots <= m)).all())):
            raise RuntimeError(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?"
            )
    return _lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)


# ---- solving


def solve_by_lu(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """AX = B or XA = B, or the same with the adjoint of A, which LU is of; no history."""
    lu, b = broadcast_batches(LU, B)
    lu, pivots = lapack.columns(lu), pivots.expand(lu.shape[:-1]).contiguous()
    if left:
        x = lapack.columns(b)
        lapack.getrs(lu, pivots, x, "C" if adjoint else "N")
        return x
    x = lapack.columns(b.mH if adjoint else b.mT)
    lapack.getrs(lu, pivots, x, "N" if adjoint else "T")
    return (x.mH if adjoint else x.mT).clone()


@differentiable(name="LinalgLuSolveBackward0")
def _lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    return solve_by_lu(LU, pivots, B, left, adjoint)


@_lu_solve.gradient("B")
def _(g, LU, pivots, left, adjoint):
    return _lu_solve(LU, pivots, g, left, not adjoint)


@_lu_solve.gradient("LU")
def _(g, y, LU, pivots, left, adjoint):
    """Of A first: that of AX = B is -A⁻ᴴ g Xᴴ. Then through A = PLU."""
    gb = _lu_solve(LU, pivots, g, left, not adjoint)
    if left:
        ga = -y.matmul(gb.mH) if adjoint else -gb.matmul(y.mH)
    else:
        ga = -gb.mH.matmul(y) if adjoint else -y.mH.matmul(gb)
    L, U = _factors(LU)
    ga = _permutation_matrix(pivots, LU).mT.matmul(ga)
    return ga.matmul(U.mH).tril(-1) + L.mH.matmul(ga).triu()


def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """The X with AX = B, or XA = B, from what lu_factor gave for A; with `adjoint`, for Aᴴ."""
    check_square(LU, "torch.linalg.lu_solve")
    check_floating(LU, "torch.linalg.lu_solve")
    check_same(LU, B, "linalg.lu_solve", "LU", "B")
    if pivots.dtype != int32_dtype:
        raise RuntimeError(f"linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32, not {pivots.dtype}")
    check_equation(LU, B, left, "linalg.lu_solve")
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    check_kernel(LU, "linalg.lu_solve_cpu")
    if pivots.numel() and not bool((pivots >= 1).all()):
        raise RuntimeError(
            "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of lu_factor?"
        )
    if pivots.numel() and not bool((pivots <= LU.shape[-1]).all()):
        raise RuntimeError(
            "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the result of "
            "lu_factor?"
        )
    return _lu_solve(LU, pivots, B, left, adjoint)


def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """linalg.lu_solve with its arguments in another order."""
    warn_of_old_name(
        "lu_solve",
        "lu_solve",
        "Note that torch.linalg.lu_solve has its arguments reversed.\n"
        "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    )
    return linalg_lu_solve(LU_data, LU_pivots, input, True, False)


def lu(input: Tensor, pivot: bool, get_infos: bool) -> tuple:
    """lu_factor under its old name: zeros on U's diagonal do not raise."""
    found = _lu_factor_checked(input, pivot, None)
    return found if get_infos else found[:2]
