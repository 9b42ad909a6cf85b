"""A = QR, and products of Householder's reflectors, which is how LAPACK keeps Q."""

from __future__ import annotations

from collections.abc import Callable

from .. import cat, enable_grad, eye, is_grad_enabled
from .._core import Tensor
from ..autograd import differentiable, grad
from ..ops.checks import spoken
from . import lapack
from .checks import check_floating, check_kernel, check_matrix, warn_of_old_name
from .triangles import solve_by_triangle

_MODES = ("reduced", "r", "complete")


@differentiable(name="LinalgQrBackward0", shown={"y": ("Q", "R")})
def _qr(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    a = lapack.columns(A)
    tau = lapack.geqrf(a)
    m, n = a.shape[-2:]
    k = min(m, n)
    if mode == "r":
        return a.new_empty(0), a[..., :k, :].triu()
    width = m if mode == "complete" else k
    q = lapack.columns(a[..., : min(n, width)])
    if width > n:
        q = lapack.columns(a.new_zeros(*a.shape[:-2], m, m))
        q[..., :n] = a
    lapack.orgqr(q, tau)
    return q, a[..., :width, :].triu()


@_qr.gradient
def _(g, y, mode):
    q, r = y
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = q.shape[-2], r.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols; mode='reduced' is."
        )
    gq, gr = g
    if m >= n:
        return _tall_gradient(gq, gr, q, r)
    # The columns beyond the square are A₂ = Q R₂.
    if gr is None:
        first = _tall_gradient(gq, None, q, r[..., :m])
        return None if first is None else _widened(first, n)
    gr2, r2 = gr[..., m:], r[..., m:]
    through = q.matmul(r2.matmul(gr2.mH))
    first = _tall_gradient(through if gq is None else gq + through, gr[..., :m], q, r[..., :m])
    assert first is not None
    return cat([first, q.matmul(gr2)], -1)


def _widened(first: Tensor, n: int) -> Tensor:
    return cat([first, first.new_zeros(*first.shape[:-1], n - first.shape[-1])], -1)


def _tall_gradient(gq: Tensor | None, gr: Tensor | None, q: Tensor, r: Tensor) -> Tensor | None:
    """(gQ + Q S) R⁻ᴴ, S being Hermitian with the upper half of gR Rᴴ - Qᴴ gQ."""
    if gq is None and gr is None:
        return None
    half = None if gr is None else gr.matmul(r.mH)
    if gq is not None:
        other = q.mH.matmul(gq)
        half = -other if half is None else half - other
    assert half is not None
    above, diagonal = half.triu(1), half.diagonal(0, -2, -1)
    diagonal = diagonal.real if diagonal.is_complex() else diagonal
    inner = q.matmul(above + above.mH + diagonal.to(q.dtype).diag_embed())
    return solve_by_triangle(r.mH, inner if gq is None else inner + gq, upper=False, left=False)


def linalg_qr(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """An orthonormal Q and an upper triangular R with A = QR."""
    check_matrix(A, "linalg.qr")
    check_floating(A, "linalg.qr")
    if mode not in _MODES:
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    check_kernel(A, "geqrf_cpu")
    return _qr(A, mode)


def qr(input: Tensor, some: bool) -> tuple[Tensor, Tensor]:
    """linalg.qr under its old name."""
    warn_of_old_name(
        "qr",
        "qr",
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
        "Q, R = torch.qr(A, some)\nshould be replaced with\n"
        "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    )
    return linalg_qr(input, "reduced" if some else "complete")


# ---- reflectors


@differentiable(name="NotImplemented")
def _geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    a = lapack.columns(input)
    return a, lapack.geqrf(a)


@_geqrf.gradient
def _(g):
    raise NotImplementedError("the derivative for 'geqrf' is not implemented; that of linalg.qr is.")


def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """R, with reflectors below it, and the factors of the reflectors."""
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel(input, "geqrf_cpu")
    return _geqrf(input)


def _reflected(c: Tensor, input: Tensor, tau: Tensor, backwards: bool) -> Tensor:
    """c with the reflections 1 - τvvᴴ applied to it, one after the other, with their derivatives."""
    v = input.tril(-1) + eye(*input.shape[-2:], dtype=input.dtype)
    steps = range(tau.shape[-1])
    for i in reversed(steps) if backwards else steps:
        one = v[..., i : i + 1]
        c = c - tau[..., i : i + 1].unsqueeze(-1) * one.matmul(one.mH.matmul(c))
    return c


def _gradients_of(composed: Callable[..., Tensor], g: Tensor, *inputs: Tensor) -> tuple[Tensor | None, ...]:
    """The same once more from operations that have gradients, and through those: composed_gradient.hpp."""
    again = is_grad_enabled()
    with enable_grad():
        known = [t if again and t.requires_grad else t.detach()._as_leaf() for t in inputs]
        result = composed(*known)
        if not result.requires_grad:  # no reflectors
            return (None,) * len(known)
        return tuple(grad(result, known, g, create_graph=again, allow_unused=True))


@differentiable(name="LinalgHouseholderProductBackward0")
def _householder_product(input: Tensor, tau: Tensor) -> Tensor:
    q = lapack.columns(input)
    lapack.orgqr(q, tau.contiguous())
    return q


@_householder_product.gradient
def _(g, input, tau):
    unit = eye(*input.shape[-2:], dtype=input.dtype).expand(input.shape)
    return _gradients_of(lambda a, t: _reflected(unit, a, t, True), g, input, tau)


def linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of reflectors, as geqrf gives them."""
    function = "torch.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{function}: input must have at least 2 dimensions.")
    if input.shape[-2] < input.shape[-1]:
        raise RuntimeError(f"{function}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if tau.ndim and input.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"{function}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    _check_tau(input, tau, function)
    if tau.dtype != input.dtype:
        raise RuntimeError(
            f"{function}: tau dtype {spoken(tau.dtype)} does not match input dtype {spoken(input.dtype)}"
        )
    check_kernel(input, "orgqr_cpu")
    return _householder_product(input, tau)


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """linalg.householder_product under its old name."""
    return linalg_householder_product(input, input2)


def _check_tau(input: Tensor, tau: Tensor, function: str) -> None:
    if input.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{function}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {input.ndim}"
        )
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(
            f"{function}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )


@differentiable(name="OrmqrBackward0", shown={"input": "self", "tau": "input2", "other": "input3"})
def _ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool) -> Tensor:
    c = lapack.columns(other)
    lapack.ormqr(lapack.columns(input), tau.contiguous(), c, left, transpose)
    return c


@_ormqr.gradient
def _(g, input, tau, other, left, transpose):
    return _gradients_of(lambda a, t, c: _composed_ormqr(a, t, c, left, transpose), g, input, tau, other)


def _composed_ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool) -> Tensor:
    if not left:  # CQ = (Qᴴ Cᴴ)ᴴ
        return _composed_ormqr(input, tau, other.mH, True, not transpose).mH
    return _reflected(other, input, tau.conj() if transpose else tau, not transpose)


def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool) -> Tensor:
    """`other` times the product of reflectors, without making the product; with `transpose` its adjoint."""
    function = "torch.ormqr"
    for name, x in (("input", input), ("other", other)):
        if x.ndim < 2:
            raise RuntimeError(f"{function}: {name} must have at least 2 dimensions.")
    side = -2 if left else -1
    if other.shape[side] != input.shape[-2]:
        raise RuntimeError(f"{function}: other.shape[{side}] must be equal to input.shape[-2]")
    if tau.ndim and tau.shape[-1] != min(other.shape[side], input.shape[-1]):
        raise RuntimeError(f"{function}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    _check_tau(input, tau, function)
    if other.ndim != input.ndim:
        raise RuntimeError(
            f"{function}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{other.ndim} and input.ndim is equal to {input.ndim}"
        )
    if other.shape[:-2] != input.shape[:-2]:
        raise RuntimeError(
            f"{function}: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
            f"{list(other.shape[:-2])}"
        )
    for name, x in (("tau", tau), ("other", other)):
        if x.dtype != input.dtype:
            raise RuntimeError(
                f"{function}: Expected input and {name} to have the same dtype, but input has dtype"
                f"{spoken(input.dtype)} and {name} has dtype {spoken(x.dtype)}"
            )
    check_kernel(input, "ormqr_cpu")
    return _ormqr(input, tau, other, left, transpose)
