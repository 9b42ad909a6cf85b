"""A = LLᴴ for positive-definite matrices."""

from __future__ import annotations

from .._core import Tensor, contiguous_format
from ..autograd import differentiable
from . import lapack
from .checks import broadcast_batches, check_floating, check_kernel, check_square, warn_of_old_name
from .failures import check_info, not_positive, singular
from .triangles import check_right_side, solve_by_triangle


def _factor(A: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """The factor and info; only one half of A is looked at."""
    a = lapack.columns(A.mH if upper else A)
    info = lapack.potrf(a)
    # Column by column in memory, as LAPACK leaves it: callers of PyTorch rely on it.
    lower = a.tril()
    return (lower.mH.clone() if upper else lower.mT.clone(memory_format=contiguous_format).mT), info


def _gradient(g: Tensor, L: Tensor, upper: bool) -> Tensor:
    """L⁻ᴴ Φ(Lᴴ g) L⁻¹, made Hermitian; Φ takes the lower half and half of the diagonal."""
    if upper:
        g, L = g.mH, L.mH
    phi = L.mH.matmul(g).tril()
    phi = phi - phi.diagonal(0, -2, -1).diag_embed() / 2
    ga = solve_by_triangle(L.mH, phi, upper=True)
    ga = solve_by_triangle(L, ga, upper=False, left=False)
    return (ga + ga.mH) / 2


@differentiable(name="LinalgCholeskyExBackward0", shown={"y": ("L",)})
def _cholesky_ex(input: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    return _factor(input, upper)


@_cholesky_ex.gradient
def _(g, y, upper):
    return None if g[0] is None else _gradient(g[0], y[0], upper)


def linalg_cholesky_ex(input: Tensor, upper: bool, check_errors: bool) -> tuple[Tensor, Tensor]:
    """The Cholesky factor, and which leading minor is not positive-definite."""
    return _checked(input, upper, "linalg.cholesky_ex" if check_errors else None)


def linalg_cholesky(input: Tensor, upper: bool) -> Tensor:
    """The lower triangular L with A = LLᴴ, or the upper U with A = UᴴU."""
    return _checked(input, upper, "linalg.cholesky")[0]


def _checked(input: Tensor, upper: bool, function: str | None) -> tuple[Tensor, Tensor]:
    check_square(input, "linalg.cholesky")
    check_floating(input, "linalg.cholesky")
    check_kernel(input, "cholesky_cpu")
    factor, info = _cholesky_ex(input, upper)
    if function:
        check_info(info, function, not_positive)
    return factor, info


@differentiable(name="CholeskyBackward0")
def _cholesky(input: Tensor, upper: bool) -> Tensor:
    factor, info = _factor(input, upper)
    check_info(info, "cholesky", not_positive)
    return factor


@_cholesky.gradient
def _(g, y, upper):
    return _gradient(g, y, upper)


def cholesky(input: Tensor, upper: bool) -> Tensor:
    """linalg.cholesky under its old name."""
    warn_of_old_name(
        "cholesky",
        "cholesky",
        "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
        "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
    )
    check_square(input, "cholesky")
    check_kernel(input, "cholesky_cpu")
    return _cholesky(input, upper)


# ---- what a factor is good for


def _twice_solved(b: Tensor, L: Tensor, upper: bool) -> Tensor:
    first = solve_by_triangle(L.mH if upper else L, b, upper=False)
    return solve_by_triangle(L if upper else L.mH, first, upper=True)


def _gradient_of_factor(common: Tensor, L: Tensor, upper: bool) -> Tensor:
    """Of A = LLᴴ or UᴴU, where the gradient of A is minus `common`; as in PyTorch also in the half that is zero."""
    common = common + common.mH
    return -L.matmul(common) if upper else -common.matmul(L)


@differentiable(name="CholeskySolveBackward0", shown={"B": "self", "L": "input2"})
def _cholesky_solve(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    return _twice_solved(B, L, upper)


@_cholesky_solve.gradient
def _(g, y, L, upper, needs):
    gb = _cholesky_solve(g, L, upper)
    return gb, _gradient_of_factor(gb.matmul(y.mH), L, upper) if needs.L else None


def cholesky_solve(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    """The X with AX = B, given A's Cholesky factor."""
    for name, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    check_right_side(B, L, "cholesky_solve")
    broadcast_batches(L, B)
    check_kernel(B, "cholesky_solve_cpu")
    return _cholesky_solve(B, L, upper)


@differentiable(name="CholeskyInverseBackward0", shown={"L": "self"})
def _cholesky_inverse(L: Tensor, upper: bool) -> Tensor:
    a = lapack.columns(L.mH if upper else L)
    check_info(lapack.potri(a), "cholesky_inverse", singular)
    half = a.tril(-1)
    return half + half.mH + a.diagonal(0, -2, -1).diag_embed()


@_cholesky_inverse.gradient
def _(g, y, L, upper):
    return _gradient_of_factor(y.matmul(g).matmul(y), L, upper)


def cholesky_inverse(L: Tensor, upper: bool) -> Tensor:
    """The inverse of A, given its Cholesky factor."""
    check_square(L, "cholesky_inverse")
    check_kernel(L, "cholesky_inverse_out_cpu")
    return _cholesky_inverse(L, upper)
