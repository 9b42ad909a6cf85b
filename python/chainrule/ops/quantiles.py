"""Quantiles: the sorted values at fractions of the way, interpolated between two neighbours."""

from __future__ import annotations

from .. import full_like, int64, tensor, where
from .._core import Tensor
from .checks import wrap_dim

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile_number(input: Tensor, q: float, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """The value below which a fraction q of the elements lie; NaN where one of them is NaN."""
    return _quantile(input, _fraction(input, q), dim, keepdim, interpolation, ignore_nan=False)


def quantile(input: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """The values below which fractions q of the elements lie; NaN where one of them is NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore_nan=False)


def nanquantile_number(input: Tensor, q: float, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """quantile of the elements that are not NaN."""
    return _quantile(input, _fraction(input, q), dim, keepdim, interpolation, ignore_nan=True)


def nanquantile(input: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """quantile of the elements that are not NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore_nan=True)


def _fraction(input: Tensor, q: float) -> Tensor:
    if not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    return tensor(q, dtype=input.dtype)


def _check(input: Tensor, q: Tensor, interpolation: str) -> None:
    if input.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q.ndim > 1:
        raise RuntimeError(f"quantile() q must be a scalar or 1D tensor, but has {q.ndim} dimensions")
    if not input.dtype.is_floating_point or input.dtype.itemsize == 2:
        raise RuntimeError(f"quantile() input tensor must be either float or double dtype, but is {input.dtype}")
    if q.dtype != input.dtype:
        raise RuntimeError(
            f"quantile() q tensor must be same dtype as the input tensor, but is {q.dtype} and not {input.dtype}"
        )
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if not ((q >= 0) & (q <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _quantile(input: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool) -> Tensor:
    _check(input, q, interpolation)
    at = 0 if dim is None else wrap_dim(dim, input.ndim)
    if dim is None or input.ndim == 0:
        rows = input.flatten()
        if keepdim:
            rows = rows.view([1] * input.ndim + [-1])
    else:
        rows = input.unsqueeze(-1).transpose(at, -1) if keepdim else input.movedim(at, -1)
    rows = rows.sort().values
    result = _between(rows, _ranks(rows, q.reshape(-1), ignore_nan), interpolation)
    # The fractions are the last dimension; in place, since the result is a new tensor and no view of one.
    return result.unsqueeze_(0).transpose_(0, -1).squeeze_(-1) if q.ndim else result.squeeze_(-1)


def _ranks(rows: Tensor, q: Tensor, ignore_nan: bool) -> Tensor:
    """The places, with fractions, in the sorted rows; NaN is sorted last."""
    if ignore_nan:
        last = (rows.isnan().logical_not().sum(-1, keepdim=True) - 1).clamp_min(0)
        return q * last
    last = rows.size(-1) - 1
    return where(rows[..., -1:].isnan(), float(last), q * last)


def _between(rows: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    def at(places: Tensor) -> Tensor:
        return rows.gather(-1, places.detach().to(int64))

    if interpolation == "nearest":
        return at(ranks.round())
    if interpolation == "lower":
        return at(ranks.floor())
    if interpolation == "higher":
        return at(ranks.ceil())
    weight = ranks - ranks.detach().floor() if interpolation == "linear" else full_like(ranks, 0.5)
    return at(ranks.floor()).lerp(at(ranks.ceil()), weight)
