"""A = U diag(S) Vᴴ."""

from __future__ import annotations

from .. import _core, is_grad_enabled
from .._core import Tensor
from ..autograd import differentiable
from . import lapack
from .checks import check_floating, check_kernel, check_matrix
from .failures import check_info, no_convergence


def _values_and_vectors(A: Tensor, job: str) -> tuple[Tensor, Tensor, Tensor]:
    u, s, vh, info = lapack.gesdd(lapack.columns(A), job)
    check_info(info, "linalg.svd", no_convergence)
    if job == "A" and not A.numel():  # LAPACK was not called: any orthonormal basis will do
        u, vh = u.copy_(_units(u)), vh.copy_(_units(vh))
    return u, s, vh


def _units(like: Tensor) -> Tensor:
    return _core.functions["eye"](like.shape[-1], dtype=like.dtype, device=like.device)


@differentiable(name="LinalgSvdBackward0", shown={"y": ("U", "S", "Vh")})
def _svd(A: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    return _values_and_vectors(A, "A" if full_matrices else "S")


@_svd.gradient
def _(g, y):
    """What belongs to no singular value, in full matrices, has no gradient."""
    (gu, gs, gvh), (u, s, vh) = g, y
    k = s.shape[-1]
    u, vh = u[..., :k], vh[..., :k, :]
    gu = None if gu is None else gu[..., :k]
    gvh = None if gvh is None else gvh[..., :k, :]
    if gu is None and gvh is None:
        return None if gs is None else (u * gs.unsqueeze(-2)).matmul(vh)
    inner = _inner(gu, gs, gvh, u, s, vh)
    m, n = u.shape[-2], vh.shape[-1]
    if m > k and gu is not None:
        scaled = gu / s.unsqueeze(-2)
        return (u.matmul(inner) + scaled - u.matmul(u.mH.matmul(scaled))).matmul(vh)
    if n > k and gvh is not None:
        scaled = gvh / s.unsqueeze(-1)
        return u.matmul(inner.matmul(vh) + scaled - scaled.matmul(vh.mH).matmul(vh))
    return u.matmul(inner).matmul(vh)


def _inner(gu: Tensor | None, gs: Tensor | None, gvh: Tensor | None, u: Tensor, s: Tensor, vh: Tensor) -> Tensor:
    """(skew(Uᴴ gU) S + S skew(Vᴴ gV)) / E + diag(gS), with Eⱼₖ = sₖ² - sⱼ² beside its diagonal of ones."""
    turn_u = None if gu is None else _skew(u.mH.matmul(gu))
    turn_v = None if gvh is None else _skew(vh.matmul(gvh.mH))
    if u.is_complex():
        _check_phase(turn_u, turn_v)
    squares = s * s
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    gaps = gaps + gaps.new_ones(s.shape[-1]).diag()
    inner = None if turn_u is None else turn_u * s.unsqueeze(-2)
    if turn_v is not None:
        other = s.unsqueeze(-1) * turn_v
        inner = other if inner is None else inner + other
    assert inner is not None
    inner = inner / gaps
    if gs is not None:
        inner = inner + gs.to(inner.dtype).diag_embed()
    if u.is_complex() and turn_u is not None and turn_v is not None:
        inner = inner + (turn_u.diagonal(0, -2, -1) / (2 * s)).diag_embed()
    return inner


def _skew(x: Tensor) -> Tensor:
    return x - x.mH


def _check_phase(turn_u: Tensor | None, turn_v: Tensor | None) -> None:
    """Complex vectors come with any phase e^{iφ}; a loss that sees it has no derivative."""
    turns = [turn.detach().diagonal(0, -2, -1).imag for turn in (turn_u, turn_v) if turn is not None]
    total = turns[0] if len(turns) == 1 else turns[0] + turns[1]
    if bool((total.abs() > 2e-2 * (1 + turns[0].abs())).any()):
        raise RuntimeError(
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
            "The specified loss function depends on this phase term, making it ill-defined."
        )


def thin_svd(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vᴴ, as many vectors as there are values."""
    return _svd(A, False)


def is_recorded(A: Tensor) -> bool:
    """Whether a derivative may be asked for: then the vectors are needed, whatever the result is."""
    return (is_grad_enabled() and A.requires_grad) or _core.tangent(A) is not None


def _check(A: Tensor, driver: str | None) -> None:
    check_matrix(A, "linalg.svd")
    check_floating(A, "linalg.svd")
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    check_kernel(A, "linalg_svd_cpu")


def linalg_svd(A: Tensor, full_matrices: bool, driver: str | None) -> tuple[Tensor, Tensor, Tensor]:
    """U, the singular values in descending order, and Vᴴ."""
    _check(A, driver)
    return _svd(A, full_matrices)


def linalg_svdvals(A: Tensor, driver: str | None = None) -> Tensor:
    """The singular values, in descending order."""
    _check(A, driver)
    return _svd(A, False)[1] if is_recorded(A) else _values_and_vectors(A, "N")[1]


def svd(input: Tensor, some: bool, compute_uv: bool) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V, not Vᴴ; without compute_uv, U and V are zeros."""
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions instead"
        )
    if compute_uv:
        u, s, vh = linalg_svd(input, not some, None)
        return u, s, vh.mH
    *batch, m, n = input.shape
    return input.new_zeros(*batch, m, m), linalg_svdvals(input), input.new_zeros(*batch, n, n)
