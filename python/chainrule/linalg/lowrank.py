"""Singular values and principal components from a random subspace (Halko, Martinsson and Tropp)."""

from __future__ import annotations

from .. import randn
from .._core import Tensor, functions

_qr, _svd = functions["linalg_qr"], functions["linalg_svd"]  # by the door, where autocast gives them float32


def _basis(A: Tensor, q: int, niter: int) -> Tensor:
    """An orthonormal basis of about the range of A: that of a random product, turned towards it `niter` times."""
    found = A.matmul(randn(A.shape[-1], q, dtype=A.dtype))
    basis = _qr(found)[0]
    for _ in range(niter):
        basis = _qr(A.mH.matmul(basis))[0]
        basis = _qr(A.matmul(basis))[0]
    return basis


def svd_lowrank(A: Tensor, q: int | None, niter: int | None, M: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """About the q largest singular values of A - M, with their vectors: U, S and V."""
    if M is not None:
        A = A - M.broadcast_to(A.shape)
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        A = A.mH
    basis = _basis(A, 6 if q is None else q, 2 if niter is None else niter)
    u, s, vh = _svd(basis.mH.matmul(A), full_matrices=False)
    u, v = basis.matmul(u), vh.mH
    return (v, s, u) if wide else (u, s, v)


def pca_lowrank(A: Tensor, q: int | None, center: bool, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    """About the q first principal components of the rows of A."""
    smaller = min(A.shape[-2:])
    if q is None:
        q = min(6, smaller)
    elif not 0 <= q <= smaller:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={smaller}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter, None)
