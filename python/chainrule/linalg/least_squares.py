"""The X that makes AX - B smallest."""

from __future__ import annotations

from .. import finfo, int64
from .._core import Tensor
from ..autograd import differentiable
from ..ops.checks import spoken
from . import lapack
from .checks import LAPACK_TYPES, broadcast_batches
from .failures import check_info, no_convergence, not_full_rank
from .pseudoinverse import gradient_of_pseudoinverse, linalg_pinv
from .solving import is_vector

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@differentiable(name="LinalgLstsqBackward0", constant=(2, 3), shown={"y": ("solution",), "input": "self"})
def _lstsq(input: Tensor, b: Tensor, rcond: float, driver: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    vector = is_vector(input, b)
    a, right = broadcast_batches(input, b.unsqueeze(-1) if vector else b)
    m, n = a.shape[-2:]
    x = lapack.columns(right, max(m, n))
    rank, values = _solve(lapack.columns(a), x, rcond, driver)
    residuals = x.new_zeros(0).abs()
    if m > n and driver != "gelsy" and (driver == "gels" or bool((rank == n).all())):
        residuals = x[..., n:, :].abs().square().sum(-2)
    solution = x[..., :n, :].squeeze(-1) if vector else x[..., :n, :]
    return solution.clone(), residuals, rank, values


def _solve(a: Tensor, x: Tensor, rcond: float, driver: str) -> tuple[Tensor, Tensor]:
    """The ranks and singular values that the driver finds; the solutions are in x."""
    rank, values = a.new_zeros(0, dtype=int64), a.new_zeros(0).abs()
    if not a.numel() or not x.numel():
        x.zero_()
        batch = a.shape[:-2]
        if driver != "gels":
            rank = a.new_zeros(batch, dtype=int64)
        if driver in ("gelsd", "gelss"):
            values = a.new_zeros((*batch, min(a.shape[-2:]))).abs()
        return rank, values
    if driver == "gels":
        check_info(lapack.gels(a, x), "torch.linalg.lstsq", not_full_rank)
        return rank, values
    if driver == "gelsy":
        rank, info = lapack.gelsy(a, x, rcond)
    else:
        rank, values, info = lapack.gels_by_values(driver, a, x, rcond)
    check_info(info, "torch.linalg.lstsq", no_convergence)
    return rank.long(), values


@_lstsq.gradient
def _(g, y, input, b, needs):
    """As of X = A⁺B. The residuals' is that of |AX - B|², where X's own share is zero."""
    g_x, g_residuals = g[0], g[1]
    vector = is_vector(input, b)
    right, x = (t.unsqueeze(-1) if vector else t for t in (b, y[0]))
    ga = gb = None
    if g_x is not None:
        g_x = g_x.unsqueeze(-1) if vector else g_x
        p = linalg_pinv(input, None, None, False)
        gb = p.mH.matmul(g_x)
        ga = gradient_of_pseudoinverse(g_x.matmul(right.mH), p, input) if needs.input else None
    if g_residuals is not None and g_residuals.numel():
        error = 2 * (input.matmul(x) - right) * g_residuals.unsqueeze(-2)
        from_a = error.matmul(x.mH)
        ga, gb = (from_a if ga is None else ga + from_a), (-error if gb is None else gb - error)
    return ga, gb.squeeze(-1) if vector and gb is not None else gb


def linalg_lstsq(input: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> tuple:
    """The solution, the squared residuals, the ranks and the singular values; empty what the driver does not find."""
    function = "torch.linalg.lstsq"
    if input.ndim < 2:
        raise RuntimeError(f"{function}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{function}: other must have at least 1 dimension.")
    if input.dtype != b.dtype:
        raise RuntimeError(
            f"{function}: Expected input and other to have the same dtype, but got input's dtype "
            f"{spoken(input.dtype)} and other's dtype {spoken(b.dtype)}"
        )
    if repr(input.dtype) not in LAPACK_TYPES:
        raise RuntimeError(f"This function doesn't handle types other than float and double, not {spoken(input.dtype)}")
    vector = is_vector(input, b)
    if input.shape[-2] != (b.shape[-1] if vector else b.shape[-2]):
        side = -1 if vector else -2
        raise RuntimeError(f"{function}: input.size(-2) should match other.size({side})")
    if driver is not None and driver not in _DRIVERS:
        raise RuntimeError(f"{function}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not {driver}")
    if rcond is None:
        rcond = finfo(input.dtype).eps * max(input.shape[-2:])
    return _lstsq(input, b, rcond, driver or "gelsy")
