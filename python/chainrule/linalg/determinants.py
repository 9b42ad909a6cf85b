"""Determinants, and their logarithms."""

from __future__ import annotations

from .. import eye, finfo, is_grad_enabled, nan, where
from .._core import Tensor
from ..autograd import differentiable, keep
from . import lapack
from .checks import check_floating, check_kernel, check_square
from .lu_factors import rows_exchanged, solve_by_lu
from .singular_values import thin_svd
from .solving import solve_adjoint, solve_system


def _sign(pivots: Tensor, A: Tensor) -> Tensor:
    """What the exchanges of rows make of the sign."""
    return 1 - 2 * (rows_exchanged(pivots) % 2).to(A.dtype)


def _factored(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """LU, the pivots, U's diagonal, and the sign that the exchanges of rows give."""
    lu = lapack.columns(A)
    pivots, _ = lapack.getrf(lu)
    diagonal = lu.diagonal(0, -2, -1)
    return lu, pivots, diagonal, _sign(pivots, A)


@differentiable(name="LinalgDetBackward0", shown={"lu": "LU"})
def _det(A: Tensor) -> Tensor:
    lu, pivots, diagonal, sign = _factored(A)
    return keep(diagonal.prod(-1) * sign, lu=lu, pivots=pivots)


@_det.gradient
def _(g, y, A, lu, pivots):
    """det(A)* g A⁻ᴴ, which also exists where A⁻¹ does not."""
    if not A.numel():
        return A.new_zeros(A.shape)
    if A.shape[-1] == 1:
        return g.unsqueeze(-1).unsqueeze(-1)
    if is_grad_enabled():
        return _twice_differentiable(g, y, A, _times_unit(g * y.conj(), A))
    zero = lu.diagonal(0, -2, -1) == 0
    if zero.any():
        # The determinant is smooth: next to a singular matrix the gradient is nearly the same.
        lu = lu + where(zero, finfo(A.dtype).eps, 0.0).to(A.dtype).diag_embed()
        y = lu.diagonal(0, -2, -1).prod(-1) * _sign(pivots, A)
    return solve_by_lu(lu, pivots, _times_unit(g * y.conj(), A), True, True)


def _times_unit(factor: Tensor, A: Tensor) -> Tensor:
    """Unit matrices of A's size, each with its factor."""
    return factor.unsqueeze(-1).unsqueeze(-1) * eye(A.shape[-1], dtype=A.dtype)


def _twice_differentiable(g: Tensor, y: Tensor, A: Tensor, scaled: Tensor) -> Tensor:
    is_singular = y.abs() < 100 * finfo(A.dtype).eps
    if not is_singular.any():
        return solve_system(A.mH, scaled)
    unit = eye(A.shape[-1], dtype=A.dtype)
    invertible = where(is_singular.unsqueeze(-1).unsqueeze(-1), unit, A)
    result = solve_system(invertible.mH, scaled)
    return result.index_put((is_singular,), _by_singular_values(g[is_singular], A[is_singular]))


def _by_singular_values(g: Tensor, A: Tensor) -> Tensor:
    """The adjoint of the adjugate: U D Vᴴ, where each entry of D is the product of the other singular values."""
    u, s, vh = thin_svd(A)
    others = where(eye(s.shape[-1]) != 0, 1.0, s.unsqueeze(-2)).prod(-1)
    phase = (_det(u) * _det(vh)).conj() * g
    return (u * (phase.unsqueeze(-1) * others).unsqueeze(-2)).matmul(vh)


def linalg_det(A: Tensor) -> Tensor:
    """The determinant."""
    check_square(A, "linalg.det")
    check_floating(A, "linalg.det")
    check_kernel(A, "lu_cpu")
    return _det(A)


det = linalg_det


# ---- logarithms


@differentiable(name="LinalgSlogdetBackward0", shown={"y": ("sign",), "lu": "LU"})
def _slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    lu, pivots, diagonal, sign = _factored(A)
    return keep((diagonal.sgn().prod(-1) * sign, diagonal.abs().log().sum(-1)), lu=lu, pivots=pivots)


@_slogdet.gradient
def _(g, y, A, lu, pivots):
    """A⁻ᴴ times g of the logarithm; complex, the argument's gradient is its imaginary part."""
    g_sign, g_log = g
    total = None if g_log is None else g_log.to(A.dtype)
    if A.is_complex() and g_sign is not None:
        turned = g_sign * y[0].conj()
        turned = (turned - turned.conj()) / 2
        total = turned if total is None else total + turned
    if total is None:
        return None
    return solve_adjoint(A, lu, pivots, _times_unit(total, A))


def _slogdet_checked(A: Tensor, function: str) -> tuple[Tensor, Tensor]:
    check_square(A, function)
    check_floating(A, function, low_precision=False)
    return _slogdet(A)


def linalg_slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """The determinant's sign and the logarithm of its absolute value."""
    return _slogdet_checked(A, "linalg.slogdet")


slogdet = linalg_slogdet


def logdet(input: Tensor) -> Tensor:
    """The determinant's logarithm; NaN where it is negative."""
    sign, logabsdet = _slogdet_checked(input, "logdet")
    if input.is_complex():
        return sign.log() + logabsdet
    return where(sign == -1, nan, logabsdet)
