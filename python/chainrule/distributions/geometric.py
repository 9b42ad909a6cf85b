"""The geometric distribution: how often something fails before it succeeds."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..nn.functional import binary_cross_entropy_with_logits
from ..type_info import finfo
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property, logits_to_probs, only_one, probs_to_logits


class Geometric(Distribution):
    """The number of failures before the first success.

    Args:
        probs: the probability of success.
        logits: its log-odds, instead.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Geometric(torch.tensor(0.25)).mean
    tensor(3.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support = constraints.nonnegative_integer  # type: ignore[assignment]

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        only_one(probs, logits)
        (parameter,) = broadcast_all(logits if probs is None else probs)
        self.__dict__["logits" if probs is None else "probs"] = parameter
        super().__init__(parameter.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (parameter > 0).all():
            invalid = parameter[~(parameter > 0)]
            raise at_call(
                ValueError,
                f"Expected parameter probs ({type(parameter).__name__} of shape {tuple(parameter.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{invalid}",
            )

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Tensor:
        """Its log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return self.probs.new_zeros(self.probs.shape)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u = self.probs.new_empty(shape).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
