"""The continuous Bernoulli distribution: numbers between 0 and 1."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .distribution import broadcast_all, clamped, lazy_property, logits_to_probs, only_one, probs_to_logits
from .exp_family import ExponentialFamily

_where = _core.functions["where"]


class ContinuousBernoulli(ExponentialFamily):
    """Numbers between 0 and 1 with the density of a Bernoulli distribution, continued.

    Args:
        probs: what is the probability of 1 there.
        logits: its log-odds, instead.
        lims: between them the formulas are replaced by their Taylor series, since they divide 0 by 0 at 0.5.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.ContinuousBernoulli(torch.tensor(0.3)).mean
    tensor(0.4302)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        only_one(probs, logits)
        if probs is not None:
            (parameter,) = broadcast_all(probs)
            checked = type(self)._validate_args if validate_args is None else validate_args
            if checked and not self.arg_constraints["probs"].check(parameter).all():
                raise at_call(ValueError, "The parameter probs has invalid values")
            self.__dict__["probs"] = clamped(parameter)
        else:
            (parameter,) = broadcast_all(logits)
            self.__dict__["logits"] = parameter
        self._lims = lims
        super().__init__(parameter.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(ContinuousBernoulli, _instance)
        new._lims = self._lims
        for name in ("probs", "logits"):
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        return self._become(new, batch_shape)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter."""
        return clamped(logits_to_probs(self.logits, is_binary=True))

    @lazy_property
    def logits(self) -> Tensor:
        """Its log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._batch_shape

    def _outside_unstable_region(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        return _where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        """The logarithm of what makes the integral of the density 1."""
        cut = self._cut_probs()
        below = _where(cut <= 0.5, cut, 0.0)
        above = _where(cut >= 0.5, cut, 1.0)
        size = ((-cut).log1p() - cut.log()).abs().log()
        norm = size - _where(cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return _where(self._outside_unstable_region(), norm, taylor)

    @property
    def mean(self) -> Tensor:
        cut = self._cut_probs()
        mean = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return _where(self._outside_unstable_region(), mean, taylor)

    @property
    def variance(self) -> Tensor:
        cut = self._cut_probs()
        variance = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return _where(self._outside_unstable_region(), variance, taylor)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        u = _core.functions["rand"](
            self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device
        )
        return self.icdf(u)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        cdf = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = _where(self._outside_unstable_region(), cdf, value)
        return _where(value <= 0.0, 0.0, _where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut_probs()
        solved = ((-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()) / (cut.log() - (-cut).log1p())
        return _where(self._outside_unstable_region(), solved, value)

    def entropy(self) -> Tensor:
        rest, full = (-self.probs).log1p(), self.probs.log()
        return self.mean * (rest - full) - self._cont_bern_log_norm() - rest

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = _where(outside, x, self._lims[0] - 0.5)
        norm = (cut.exp() - 1.0).abs().log() - cut.abs().log()
        return _where(outside, norm, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)
