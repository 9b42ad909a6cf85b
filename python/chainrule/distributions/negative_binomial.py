"""The negative binomial distribution: how often something succeeds before it has failed some times."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from ..nn.functional import logsigmoid
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property, logits_to_probs, only_one, probs_to_logits
from .gamma import Gamma


class NegativeBinomial(Distribution):
    """The number of successes before a number of failures.

    Args:
        total_count: how many failures end it.
        probs: the probability of success.
        logits: its log-odds, instead.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.NegativeBinomial(torch.tensor(3.), torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {  # noqa: RUF012
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer  # type: ignore[assignment]

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        only_one(probs, logits)
        name = "logits" if probs is None else "probs"
        self.total_count, self.__dict__[name] = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count = self.total_count.type_as(self.__dict__[name])
        super().__init__(self.total_count.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Tensor:
        """Its log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._batch_shape

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return _core.functions["poisson"](self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        unnormalized = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        norm = -(self.total_count + value).lgamma() + (1.0 + value).lgamma() + self.total_count.lgamma()
        return unnormalized - norm.masked_fill(self.total_count + value == 0.0, 0.0)
