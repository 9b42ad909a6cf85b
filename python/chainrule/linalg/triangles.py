"""Equations with a triangular matrix."""

from __future__ import annotations

from .._core import Tensor
from ..autograd import differentiable
from ..ops.checks import spoken
from . import lapack
from .checks import broadcast_batches, check_equation, check_kernel, check_square, warn_of_old_name


def _solve_columns(a: Tensor, b: Tensor, upper: bool, unit: bool) -> Tensor:
    a, b = broadcast_batches(a, b)
    x = lapack.columns(b)
    lapack.trsm(lapack.columns(a), x, upper, unit)
    return x


@differentiable(name="LinalgSolveTriangularBackward0", shown={"A": "self", "unit": "unitriangular"})
def _solve_triangular(A: Tensor, B: Tensor, upper: bool, left: bool, unit: bool) -> Tensor:
    if left:
        return _solve_columns(A, B, upper, unit)
    return _solve_columns(A.mT, B.mT, not upper, unit).mT.clone()


@_solve_triangular.gradient
def _(g, y, A, upper, left, unit, needs):
    gb = _solve_triangular(A.mH, g, not upper, left, unit)
    if not needs.A:
        return None, gb
    ga = -gb.matmul(y.mH) if left else -y.mH.matmul(gb)
    return (ga.triu(int(unit)) if upper else ga.tril(-int(unit))), gb


def solve_by_triangle(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unit: bool = False) -> Tensor:
    """solve_triangular without its checks; only that half of `a` is looked at."""
    return _solve_triangular(a, b, upper, left, unit)


def linalg_solve_triangular(A: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    """The X with AX = B, or XA = B, where A is triangular; the other half of A is not looked at."""
    check_equation(A, B, left, "linalg.solve_triangular")
    check_kernel(B, "triangular_solve_cpu")
    if A.dtype != B.dtype:
        A = A.to(B.dtype)
    return _solve_triangular(A, B, upper, left, unitriangular)


@differentiable(name="TriangularSolveBackward0", shown={"y": ("solution",), "unit": "unitriangular"})
def _triangular_solve(b: Tensor, A: Tensor, upper: bool, transpose: bool, unit: bool) -> tuple[Tensor, Tensor]:
    a = A.mT if transpose else A
    return _solve_columns(a, b, upper is not transpose, unit), broadcast_batches(A, b)[0].clone()


@_triangular_solve.gradient
def _(g, y, A, upper, transpose, unit):
    gb = ga = None
    if g[0] is not None:
        direct = upper is transpose  # whether the matrix of the adjoint equation is the upper half
        gb = _solve_triangular(A.conj() if transpose else A.mH, g[0], direct, True, unit)
        ga = -gb.matmul(y[0].mH)
        ga = ga.mT if transpose else ga
        ga = ga.triu(int(unit)) if upper else ga.tril(-int(unit))
    if g[1] is not None:
        ga = g[1] if ga is None else ga + g[1]
    return gb, ga


def triangular_solve(b: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool) -> tuple:
    """The X with AX = b, and A; with `transpose`, of AᵀX = b."""
    warn_of_old_name(
        "triangular_solve",
        "solve_triangular",
        "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
        "X = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
    )
    for name, x in (("b", b), ("A", A)):
        if x.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x.ndim} "
                "dimensions instead"
            )
    check_right_side(b, A, "triangular_solve")
    check_kernel(A, "triangular_solve_cpu")
    return _triangular_solve(b, A, upper, transpose, unitriangular)


def check_right_side(b: Tensor, A: Tensor, function: str) -> None:
    """For functions older than torch.linalg: Ax = b with a square A of b's dtype and height."""
    if A.dtype != b.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {spoken(b.dtype)} and A of type "
            f"{spoken(A.dtype)} instead."
        )
    check_square(A, "")
    if A.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {function}: each A matrix is {A.shape[-1]} by {A.shape[-1]} but each b "
            f"matrix is {b.shape[-2]} by {b.shape[-1]}"
        )
