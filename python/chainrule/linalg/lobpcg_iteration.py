"""A few of the largest or smallest eigenvalues, by Knyazev's locally optimal conjugate gradients."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from .. import cat, finfo, randn, where
from .._core import Tensor
from ..autograd import differentiable
from .checks import LAPACK_TYPES
from .cholesky_factors import linalg_cholesky
from .eigenvalues import linalg_eigh
from .orthogonal import linalg_qr
from .triangles import solve_by_triangle

_ITERATIONS = 1000


class _Options(NamedTuple):
    niter: int
    tol: float
    largest: bool


def _orthonormal(s: Tensor, B: Tensor | None) -> Tensor:
    """A basis of the columns of s, orthonormal with respect to B."""
    s = linalg_qr(s, "reduced")[0]
    if B is None:
        return s
    lower = linalg_cholesky(s.mH.matmul(B.matmul(s)), False)
    return solve_by_triangle(lower.mH, s, upper=True, left=False)


def _best_within(s: Tensor, A: Tensor, count: int, largest: bool) -> tuple[Tensor, Tensor]:
    """Rayleigh and Ritz: the eigenvalues of A in the space of s, and their vectors."""
    projected = s.mH.matmul(A.matmul(s))
    values, vectors = linalg_eigh((projected + projected.mH) / 2)
    if largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    return values[..., :count], s.matmul(vectors[..., :count])


def _iterate(A: Tensor, B: Tensor | None, iK: Tensor | None, x: Tensor, k: int, o: _Options) -> tuple[Tensor, Tensor]:
    """The next vectors are the best among the present ones, their errors, and the directions of the last step."""
    n = x.shape[-1]
    values, x = _best_within(_orthonormal(x, B), A, n, o.largest)
    step = x[..., :0]
    for _ in range(o.niter):
        ax, bx = A.matmul(x), x if B is None else B.matmul(x)
        error = ax - bx * values.unsqueeze(-2)
        sizes = ax.norm(2, (-2, -1), True) + bx.norm(2, (-2, -1), True) * values.abs().unsqueeze(-2)
        if bool((error.norm(2, -2, True) < o.tol * sizes)[..., :k].all()):
            break
        if iK is not None:
            error = iK.matmul(error)
        values, new = _best_within(_orthonormal(cat([x, error, step], -1), B), A, n, o.largest)
        x, step = new, new - x.matmul(bx.mH.matmul(new))
    return values[..., :k].clone(), x[..., :k].clone()


@differentiable(name="LOBPCGAutogradFunctionBackward")
def _lobpcg(A: Tensor, B: Tensor | None, iK: Tensor | None, X: Tensor, k: int, options: _Options):
    return _iterate(A, B, iK, X, k, options)


@_lobpcg.gradient("A")
def _(g, y, A, B):
    """As of eigh: all eigenvectors take part, so they are found here, whatever the iteration saved."""
    if B is not None:
        raise ValueError("lobpcg.backward does not support backward with B != I yet.")
    (g_values, g_vectors), (values, vectors) = g, y
    result = None
    if g_values is not None:
        result = (vectors * g_values.unsqueeze(-2)).matmul(vectors.mH)
    if g_vectors is not None:
        every, basis = linalg_eigh((A + A.mH) / 2)
        gaps = values.unsqueeze(-2) - every.unsqueeze(-1)
        is_itself = basis.detach().mH.matmul(vectors.detach()).abs() > 0.5
        turned = where(is_itself, 0.0, basis.mH.matmul(g_vectors) / where(is_itself, 1.0, gaps))
        turned = basis.matmul(turned).matmul(vectors.mH)
        result = turned if result is None else result + turned
    return None if result is None else (result + result.mH) / 2


def lobpcg(
    A: Tensor,
    k: int | None,
    B: Tensor | None,
    X: Tensor | None,
    n: int | None,
    iK: Tensor | None,
    niter: int | None,
    tol: float | None,
    largest: bool | None,
    method: str | None,
    tracker: Any,
    ortho_iparams: Any,
    ortho_fparams: Any,
    ortho_bparams: Any,
) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of a symmetric matrix, with vectors; of Ax = eBx if B is given."""
    refused = {"tracker": tracker, "ortho_iparams": ortho_iparams, "ortho_fparams": ortho_fparams}
    for name, value in {**refused, "ortho_bparams": ortho_bparams}.items():
        if value is not None:
            raise NotImplementedError(f"lobpcg: the argument {name} is not supported; leave it out")
    if method not in (None, "ortho", "basic"):
        raise ValueError(f"lobpcg: method is 'ortho' or 'basic', not {method!r}; both run the same iteration here")
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and B.shape != A.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    if repr(A.dtype) not in LAPACK_TYPES:
        A = A.float()
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if X is None else X.shape[-1]) if n is None else n
    m = A.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    shape = (*A.shape[:-2], m, n)
    if X is None:
        X = randn(shape, dtype=A.dtype)
    elif tuple(X.shape) != shape:
        raise AssertionError(f"X shape mismatch: got {tuple(X.shape)}, expected {shape}")
    tolerance = sqrt(finfo(A.dtype).eps) if tol is None else tol
    options = _Options(_ITERATIONS if niter is None else niter, tolerance, largest is not False)
    return _lobpcg(A, B, iK, X, k, options)
