"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from . import constraints
from .distribution import Distribution, broadcast_all

_where = _core.functions["where"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution.

    Args:
        loc: the smallest value.
        scale: the width.
        concentration: how heavy the tail is; with a negative one there is a largest value.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.GeneralizedPareto(torch.tensor(0.), torch.tensor(1.), torch.tensor(0.5)).mean
    tensor(2.)
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def _zero(self) -> Tensor:
        """Where the concentration counts as 0, and the distribution as exponential."""
        return self.concentration.isclose(self.concentration.new_zeros(()))

    @property
    def _divisor(self) -> Tensor:
        return _where(self._zero, 1.0, self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        u = _core.functions["rand"](self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.icdf(u)

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        y = 1 / self._divisor + z.new_ones(())
        general = -y * (self.concentration * z).log1p() - self.scale.log()
        return _where(self._zero, -z - self.scale.log(), general)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values beyond this one."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        return _where(self._zero, -z, -(self.concentration * z).log1p() / self._divisor)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values up to this one."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        log_rest = (-value).log1p()
        general = (-self.concentration * log_rest).expm1() / self._divisor
        return self.loc + self.scale * _where(self._zero, -log_rest, general)

    @property
    def mean(self) -> Tensor:
        valid = self.concentration < 1
        safe = _where(valid, self.concentration, 0.5)
        return _where(valid, self.loc + self.scale / (1 - safe), math.inf)

    @property
    def variance(self) -> Tensor:
        valid = self.concentration < 0.5
        safe = _where(valid, self.concentration, 0.25)
        return _where(valid, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.inf)

    def entropy(self) -> Tensor:
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:  # type: ignore[override]
        largest = _where(self.concentration < 0, self.loc - self.scale / self._divisor, math.inf)
        return constraints.interval(self.loc, largest)
