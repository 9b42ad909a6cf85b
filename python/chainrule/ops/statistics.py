"""Covariance and correlation."""

from __future__ import annotations

from .. import bool as bool_dtype
from .._core import Tensor
from ..user_warning import warn_user
from .checks import is_integral, spoken


def cov(input: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """The covariance matrix of the variables in the rows, observed in the columns."""
    if input.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    if input.dtype == bool_dtype:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    count = rows.size(1)
    _check_weights("fweights", fweights, count)
    _check_weights("aweights", aweights, count)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = count if weights is None else weights.sum()
    if weights is not None and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    centred = rows - (rows if weights is None else rows * weights).sum(1, keepdim=True) / total
    other = centred if weights is None else centred * weights
    freedom = total - correction
    if weights is not None and aweights is not None:
        freedom = total - correction * (weights * aweights).sum() / total
    return (centred.mm(other.t().conj()) / _positive(freedom)).squeeze()


def _positive(freedom: int | Tensor) -> int | Tensor:
    if freedom > 0:
        return freedom
    warn_user("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
    return 0  # not freedom * 0, which is -0.0 below zero


def _check_weights(name: str, weights: Tensor | None, count: int) -> None:
    if weights is None:
        return
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    wanted = is_integral(weights.dtype) if name == "fweights" else weights.dtype.is_floating_point
    if not wanted:
        kind = "integral" if name == "fweights" else "floating point"
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {spoken(weights.dtype)} dtype"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input "
            f"but got {weights.numel()} != {count}"
        )
    if count and (weights < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


def corrcoef(input: Tensor) -> Tensor:
    """The matrix of correlation coefficients of the variables in the rows."""
    if input.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    c = cov(input, 1, None, None)
    if c.ndim == 0:
        return c / c  # 1, or NaN where nothing varies
    deviation = c.diag().real.sqrt()
    c = c / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    # Rounding may leave them a little outside; a complex one has both parts limited.
    return (c.real.clamp(-1, 1) + 1j * c.imag.clamp(-1, 1)) if c.is_complex() else c.clamp(-1, 1)
