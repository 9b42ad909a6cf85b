"""Transforms of each element by itself."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from ..nn.functional import softplus
from ..shapes import broadcast_shapes
from ..type_info import finfo
from . import constraints
from .distribution import Distribution
from .transform import Transform


class _Increasing(Transform):
    """An increasing transform without parameters: all of its kind are equal."""

    bijective = True
    sign = 1  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = object.__hash__


class ExpTransform(_Increasing):
    """y = exp(x).

    >>> torch.distributions.ExpTransform()(torch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


def _clipped_sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), never quite 0 or 1."""
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Increasing):
    """y = 1 / (1 + exp(-x)).

    >>> torch.distributions.SigmoidTransform()(torch.tensor([0., 1.]))
    tensor([0.5000, 0.7311])
    """

    domain = constraints.real
    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Increasing):
    """y = log(1 + exp(x)).

    >>> torch.distributions.SoftplusTransform()(torch.tensor([0., 1.]))
    tensor([0.6931, 1.3133])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(_Increasing):
    """y = tanh(x).

    >>> torch.distributions.TanhTransform()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.7616])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return _core.functions["atanh"](y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|.

    >>> torch.distributions.AbsTransform()(torch.tensor([-1., 2.]))
    tensor([1., 2.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    __hash__ = object.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """y = x to the power of the exponent.

    Args:
        exponent: the exponent.
        cache_size: 1 to remember the last pair of values.

    >>> torch.distributions.PowerTransform(torch.tensor(2.))(torch.tensor([1., 3.]))
    tensor([1., 9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else _core.functions["tensor"](exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    __hash__ = object.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale x.

    Args:
        loc: what is added.
        scale: the factor.
        event_dim: the dimensions of one event.
        cache_size: 1 to remember the last pair of values.

    >>> torch.distributions.AffineTransform(loc=1., scale=2.)(torch.tensor([0., 3.]))
    tensor([1., 7.])
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """Where arguments lie."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        same_loc, same_scale = self.loc == other.loc, self.scale == other.scale
        return all(bool(s.all()) if isinstance(s, Tensor) else s for s in (same_loc, same_scale))

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            result = self.scale.abs().log()
        else:
            result = _core.functions["full_like"](x, math.log(abs(self.scale)))
        shape = x.shape
        if self.event_dim:
            result = result.expand((*result.shape[: -self.event_dim], *shape[-self.event_dim :]))
            result = result.reshape((*result.shape[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """y = the probability, under a distribution, of values up to x.

    Args:
        distribution: the distribution.
        cache_size: 1 to remember the last pair of values.

    >>> torch.distributions.CumulativeDistributionTransform(torch.distributions.Normal(0., 1.))(torch.tensor(0.))
    tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = 1  # type: ignore[assignment]

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """Where arguments lie."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
