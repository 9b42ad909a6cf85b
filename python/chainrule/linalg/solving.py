"""Linear equations and inverses."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .. import eye, is_grad_enabled
from .._core import Tensor
from ..autograd import differentiable, keep
from . import lapack
from .checks import check_equation, check_floating, check_kernel, check_same, check_square
from .failures import check_info, singular, unsolvable
from .lu_factors import solve_by_lu


def is_vector(A: Tensor, B: Tensor) -> bool:
    """Whether B is one vector for each matrix of A."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])


@differentiable(name="LinalgSolveExBackward0", shown={"y": ("result",), "lu": "LU"})
def _solve(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Tensor]:
    vector = is_vector(A, B)
    lu = lapack.columns(A)
    pivots, info = lapack.getrf(lu)
    x = solve_by_lu(lu, pivots, B.unsqueeze(-1) if vector else B, left, False)
    return keep((x.squeeze(-1).clone() if vector else x, info), lu=lu, pivots=pivots, vector=vector)


@_solve.gradient
def _(g, y, A, left, lu, pivots, vector, needs):
    """gB = A⁻ᴴ g and gA = -gB Xᴴ."""
    if g[0] is None:
        return None
    gx, x = (t.unsqueeze(-1) if vector else t for t in (g[0], y[0]))
    gb = solve_adjoint(A, lu, pivots, gx, left)
    ga = None
    if needs.A:
        ga = -gb.matmul(x.mH) if left else -x.mH.matmul(gb)
    return ga, gb.squeeze(-1) if vector else gb


def solve_system(A: Tensor, B: Tensor, left: bool = True) -> Tensor:
    """The X with AX = B, unchecked: infinite where A is singular."""
    return _solve(A, B, left)[0]


def solve_adjoint(A: Tensor, lu: Tensor, pivots: Tensor, g: Tensor, left: bool = True) -> Tensor:
    """A⁻ᴴ g (or g A⁻ᴴ). The factors at hand have no history, so what is differentiated again starts from A."""
    if is_grad_enabled():
        return solve_system(A.mH, g, left)
    return solve_by_lu(lu, pivots, g, left, True)


def _solve_checked(A: Tensor, B: Tensor, left: bool, function: str | None) -> tuple[Tensor, Tensor]:
    check_floating(A, "linalg.solve")
    check_square(A, "linalg.solve")
    check_same(A, B, "linalg.solve")
    vector = is_vector(A, B)
    check_equation(A, B.unsqueeze(-1) if vector else B, left, "linalg.solve")
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_kernel(A, "lu_cpu")
    x, info = _solve(A, B, left)
    if function:
        check_info(info, function, unsolvable)
    return x, info


def linalg_solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
    """The X with AX = B, or XA = B."""
    return _solve_checked(A, B, left, "torch.linalg.solve")[0]


def linalg_solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> tuple[Tensor, Tensor]:
    """The X with AX = B, and which matrices were singular."""
    return _solve_checked(A, B, left, "torch.linalg.solve_ex" if check_errors else None)


# ---- inverses


@differentiable(name="LinalgInvExBackward0", shown={"y": ("inverse",)})
def _inverse(A: Tensor) -> tuple[Tensor, Tensor]:
    lu = lapack.columns(A)
    pivots, info = lapack.getrf(lu)
    unit = eye(A.shape[-1], dtype=A.dtype).expand(A.shape)
    inverse = solve_by_lu(lu, pivots, unit, True, False)
    return inverse, info


@_inverse.gradient
def _(g, y):
    if g[0] is None:
        return None
    adjoint = y[0].mH
    return -adjoint.matmul(g[0].matmul(adjoint))


def invert(A: Tensor, function: str | None) -> tuple[Tensor, Tensor]:
    """The inverse and info, checked under the name `function`."""
    check_square(A, "linalg.inv")
    check_floating(A, "linalg.inv", low_precision=False)
    inverse, info = _inverse(A)
    if function:
        check_info(info, function, singular)
    return inverse, info


def linalg_inv(A: Tensor) -> Tensor:
    """The inverse."""
    return invert(A, "linalg.inv")[0]


inverse = linalg_inv


def linalg_inv_ex(A: Tensor, check_errors: bool) -> tuple[Tensor, Tensor]:
    """The inverse, and which matrices have none."""
    return invert(A, "linalg.inv_ex" if check_errors else None)


# ---- tensors as matrices


def linalg_tensorinv(input: Tensor, ind: int) -> Tensor:
    """The inverse of the linear map that tensordot with the dimensions from `ind` on is."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, cols = input.shape[:ind], input.shape[ind:]
    if prod(rows) != prod(cols):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{prod(cols)} != {prod(rows)}"
        )
    return invert(input.reshape(prod(rows), prod(cols)), "inv")[0].reshape(*cols, *rows)


def linalg_tensorsolve(input: Tensor, other: Tensor, dims: Sequence[int] | None) -> Tensor:
    """The x with tensordot(input, x, x.ndim) = other."""
    if dims:
        input = input.movedim(tuple(dims), tuple(range(input.ndim - len(dims), input.ndim)))
    shape = input.shape[other.ndim :]
    if prod(shape) != prod(other.shape):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {prod(shape)} != {prod(other.shape)}"
        )
    return linalg_solve(input.reshape(prod(shape), prod(shape)), other.reshape(-1), True).reshape(shape)
