"""Pseudoinverses and ranks: what is left when singular values below a tolerance count as zero."""

from __future__ import annotations

from .. import finfo, int64, where
from .._core import Tensor
from ..autograd import differentiable
from ..ops.checks import spoken
from .checks import LAPACK_TYPES, check_matrix
from .eigenvalues import linalg_eigh, linalg_eigvalsh
from .singular_values import linalg_svdvals, thin_svd

Tolerance = float | Tensor | None


def _tolerances(a: Tensor, atol: Tolerance, rtol: Tolerance, function: str) -> tuple[float | Tensor, float | Tensor]:
    """An absolute tolerance switches the usual relative one off, where it is greater than zero."""
    for name, value in (("atol", atol), ("rtol", rtol)):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(
                f"torch.{function}: {name} tensor of complex type is not supported. Got {spoken(value.dtype)}"
            )
    if rtol is None:
        if repr(a.dtype) not in LAPACK_TYPES:
            raise RuntimeError(f"This function doesn't handle types other than float and double, not {spoken(a.dtype)}")
        usual = finfo(a.dtype).eps * max(a.shape[-2:])
        rtol = where(atol > 0, 0.0, usual) if isinstance(atol, Tensor) else 0.0 if (atol or 0.0) > 0 else usual
    return 0.0 if atol is None else atol, rtol


def _cutoff(values: Tensor, atol: float | Tensor, rtol: float | Tensor) -> Tensor:
    """The tolerance of each matrix, given its singular values."""
    largest = values.amax(-1)
    relative = rtol * largest
    return relative.maximum(atol if isinstance(atol, Tensor) else relative.new_full((), atol)).unsqueeze(-1)


def linalg_matrix_rank(input: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    """How many singular values exceed max(atol, rtol times the largest)."""
    check_matrix(input, "torch.linalg.matrix_rank", "input")
    atol, rtol = _tolerances(input, atol, rtol, "linalg.matrix_rank")
    if not input.numel():
        return input.new_zeros(input.shape[:-2], dtype=int64)
    input = input.detach()
    values = linalg_eigvalsh(input).abs() if hermitian else linalg_svdvals(input)
    return (values > _cutoff(values, atol, rtol)).sum(-1)


def linalg_matrix_rank_tol(input: Tensor, tol: float | Tensor, hermitian: bool) -> Tensor:
    """The rank with one absolute tolerance."""
    return linalg_matrix_rank(input, tol, 0.0, hermitian)


# ---- pseudoinverses


@differentiable(name="LinalgPinvBackward0", shown={"input": "self"})
def _pinv(input: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    atol, rtol = _tolerances(input, atol, rtol, "linalg.pinv")
    if not input.numel():
        return input.new_zeros(*input.shape[:-2], input.shape[-1], input.shape[-2])
    if hermitian:
        values, vectors = linalg_eigh(input)
        u, vh, sizes = vectors, vectors.mH, values.abs()
    else:
        u, values, vh = thin_svd(input)
        sizes = values
    inverse = where(sizes > _cutoff(sizes, atol, rtol), values.reciprocal(), 0.0)
    return (vh.mH * inverse.unsqueeze(-2)).matmul(u.mH)


@_pinv.gradient("input")
def _(g, y, input):
    return gradient_of_pseudoinverse(g, y, input)


def gradient_of_pseudoinverse(g: Tensor, p: Tensor, a: Tensor) -> Tensor:
    """Golub and Pereyra's: -Pᴴ g Pᴴ + (1 - AP) gᴴ PPᴴ + PᴴP gᴴ (1 - PA), for constant rank."""
    ph, gh = p.mH, g.mH
    across = -ph.matmul(g).matmul(ph)
    beyond_rows = (gh - a.matmul(p.matmul(gh))).matmul(p.matmul(ph))
    beyond_columns = ph.matmul(p).matmul(gh - gh.matmul(p).matmul(a))
    return across + beyond_rows + beyond_columns


def linalg_pinv(input: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    """The pseudoinverse; singular values up to max(atol, rtol times the largest) count as zero."""
    if input.ndim < 2 or repr(input.dtype) not in LAPACK_TYPES:
        given = f"{spoken(input.dtype)}{{{list(input.shape)}}}"
        raise RuntimeError(
            f"linalg.pinv({given}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble "
            "types"
        )
    return _pinv(input, atol, rtol, hermitian)


def linalg_pinv_rcond(input: Tensor, rcond: float | Tensor, hermitian: bool) -> Tensor:
    """The pseudoinverse with a relative tolerance."""
    if isinstance(rcond, Tensor) and rcond.is_complex():
        raise RuntimeError(
            f"torch.linalg.pinv: rcond tensor of complex type is not supported. Got {spoken(rcond.dtype)}"
        )
    return linalg_pinv(input, 0.0, rcond, hermitian)


def pinverse(input: Tensor, rcond: float) -> Tensor:
    """linalg.pinv under its old name."""
    return linalg_pinv(input, 0.0, rcond, False)
