"""The multinomial distribution: how often each of several events happens."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution, broadcast_all


class Multinomial(Distribution):
    """The numbers of each of several events.

    Args:
        total_count: how many events there are together.
        probs: their probabilities in the last dimension; they are divided by their sum.
        logits: logarithms of them, up to a constant, instead.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Multinomial(10, torch.tensor([0.2, 0.8])).mean
    tensor([2., 8.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    total_count: int

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        batch_shape = Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand((*batch_shape, *self.event_shape))
        return self._become(new, batch_shape, self.event_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:  # type: ignore[override]
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Any = ()) -> Tensor:
        sample_shape = Size(sample_shape)
        with no_grad():
            drawn = self._categorical.sample((self.total_count, *sample_shape))
            drawn = drawn.movedim(0, -1)
            counts = drawn.new_zeros(self._extended_shape(sample_shape))
            counts.scatter_add_(-1, drawn, _core.functions["ones_like"](drawn))
            return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        n = _core.functions["tensor"](self.total_count)
        own = self._categorical.entropy()
        weights = self._binomial.enumerate_support(expand=False)[1:]
        probs = self._binomial.log_prob(weights).exp()
        return n * own - (n + 1).lgamma() + (probs * (weights + 1).lgamma()).sum((0, -1))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone().masked_fill((value == 0) & (logits == -float("inf")), 0)
        choices = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return choices + (logits * value).sum(-1)
