"""Eigenvalues and eigenvectors, of Hermitian matrices and of any."""

from __future__ import annotations

from .._core import Tensor
from ..autograd import differentiable
from ..ops.checks import is_integral, spoken
from . import lapack
from .checks import check_kernel, check_square
from .failures import check_info, no_eigenvalues
from .singular_values import is_recorded
from .solving import solve_system


def _gaps(values: Tensor) -> Tensor:
    """The differences of eigenvalues, column minus row, with ones in the diagonal."""
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
    return gaps + gaps.new_ones(values.shape[-1]).diag()


def _check_phase(turned: Tensor, function: str) -> None:
    """Complex vectors come with any phase e^{iφ}; a loss that sees it has no derivative."""
    if bool((turned.detach().diagonal(0, -2, -1).imag.abs() > 1e-2).any()):
        raise RuntimeError(
            f"{function}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
            "specified loss function depends on this quantity, so it is ill-defined."
        )


# ---- Hermitian


def _hermitian(A: Tensor, lower: bool, vectors: bool) -> tuple[Tensor, Tensor]:
    a = lapack.columns(A)
    values, info = lapack.syevd(a, lower, vectors)
    check_info(info, "linalg.eigh", no_eigenvalues)
    return values, a


@differentiable(name="LinalgEighBackward0", shown={"y": ("eigenvalues", "eigenvectors")})
def _eigh(A: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    return _hermitian(A, lower, True)


@_eigh.gradient
def _(g, y):
    """V (diag(gL) + skew(Vᴴ gV) / 2E) Vᴴ."""
    (g_values, g_vectors), (values, vectors) = g, y
    if g_vectors is None:
        return None if g_values is None else (vectors * g_values.unsqueeze(-2)).matmul(vectors.mH)
    turned = vectors.mH.matmul(g_vectors)
    if vectors.is_complex():
        _check_phase(turned, "linalg_eigh_backward")
    inner = (turned - turned.mH) / 2 / _gaps(values)
    if g_values is not None:
        inner = inner + g_values.to(inner.dtype).diag_embed()
    return vectors.matmul(inner).matmul(vectors.mH)


def _check_hermitian(A: Tensor, UPLO: str) -> bool:
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel(A, "linalg_eigh_cpu")
    return UPLO.upper() == "L"


def linalg_eigh(A: Tensor, UPLO: str = "L") -> tuple[Tensor, Tensor]:
    """Eigenvalues, in ascending order, and eigenvectors of a Hermitian matrix, of which one half is looked at."""
    return _eigh(A, _check_hermitian(A, UPLO))


def linalg_eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a Hermitian matrix, in ascending order."""
    lower = _check_hermitian(A, UPLO)
    return _eigh(A, lower)[0] if is_recorded(A) else _hermitian(A, lower, False)[0]


# ---- any


def _any(A: Tensor, vectors: bool, function: str) -> tuple[Tensor, Tensor]:
    values, found, info = lapack.geev(lapack.columns(A), vectors)
    check_info(info, function, no_eigenvalues)
    return values, found


@differentiable(name="LinalgEigBackward0", shown={"y": ("eigenvalues", "eigenvectors")})
def _eig(A: Tensor) -> tuple[Tensor, Tensor]:
    return _any(A, True, "torch.linalg.eig")


@_eig.gradient
def _(g, y, A):
    """V⁻ᴴ (diag(gL) + (Vᴴ gV - Vᴴ V diag(Vᴴ gV)) / E*) Vᴴ, V's columns having length one."""
    (g_values, g_vectors), (values, vectors) = g, y
    adjoint = vectors.mH
    if g_vectors is None:
        if g_values is None:
            return None
        inner = g_values.unsqueeze(-1) * adjoint
    else:
        turned = adjoint.matmul(g_vectors)
        _check_phase(turned, "linalg_eig_backward")
        lengths = turned.diagonal(0, -2, -1).real.unsqueeze(-2)
        middle = (turned - adjoint.matmul(vectors * lengths)) / _gaps(values.conj())
        middle = middle - middle.diagonal(0, -2, -1).diag_embed()
        if g_values is not None:
            middle = middle + g_values.diag_embed()
        inner = middle.matmul(adjoint)
    result = solve_system(adjoint, inner)
    return result if A.is_complex() else result.real


def _check_any(A: Tensor, function: str) -> None:
    check_square(A, function)
    if is_integral(A.dtype):
        raise RuntimeError(f"Unknown Complex ScalarType for {spoken(A.dtype)}")
    check_kernel(A, "linalg_eig_out_cpu")
    if not bool(A.isfinite().all()):
        raise RuntimeError(f"torch.{function}: input tensor should not contain infs or NaNs.")


def linalg_eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, always complex, in no particular order."""
    _check_any(A, "linalg.eig")
    return _eig(A)


def linalg_eigvals(A: Tensor) -> Tensor:
    """The eigenvalues, always complex, in no particular order."""
    _check_any(A, "linalg.eigvals")
    return _eig(A)[0] if is_recorded(A) else _any(A, False, "torch.linalg.eigvals")[0]
