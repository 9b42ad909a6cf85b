"""The binomial distribution: how often something succeeds."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property, logits_to_probs, only_one, probs_to_logits


def _clamped_at_zero(x: Tensor) -> Tensor:
    """max(x, 0) with half of a gradient at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(Distribution):
    """The number of successes among a number of trials.

    Args:
        total_count: how many trials there are.
        probs: the probability of success.
        logits: its log-odds, instead.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Binomial(10, torch.tensor(0.3)).mean
    tensor(3.)
    """

    arg_constraints = {  # noqa: RUF012
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
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

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:  # type: ignore[override]
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return _core.functions["binomial"](self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        choices = (self.total_count + 1).lgamma() - (value + 1).lgamma() - (self.total_count - value + 1).lgamma()
        # log(1 + exp(logits)), without overflow
        norm = _clamped_at_zero(self.logits) + (-self.logits.abs()).exp().log1p()
        return value * self.logits - self.total_count * norm + choices

    def entropy(self) -> Tensor:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        param = self.__dict__["probs" if "probs" in self.__dict__ else "logits"]
        values = _core.functions["arange"](1 + total, dtype=param.dtype, device=param.device)
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
