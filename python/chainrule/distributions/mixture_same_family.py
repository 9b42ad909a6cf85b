"""A mixture of distributions of one family."""

from __future__ import annotations

from typing import Any

from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from . import constraints
from .categorical import Categorical
from .constraints import MixtureSameFamilyConstraint
from .distribution import Distribution


class MixtureSameFamily(Distribution):
    """One of several distributions of a family, by chance.

    Args:
        mixture_distribution: which of them.
        component_distribution: the distributions; the last dimension of its batch counts them.
        validate_args: whether values are checked.

    >>> weights = torch.distributions.Categorical(torch.tensor([0.5, 0.5]))
    >>> parts = torch.distributions.Normal(torch.tensor([-1., 1.]), torch.ones(2))
    >>> torch.distributions.MixtureSameFamily(weights, parts).mean
    tensor(0.)
    """

    arg_constraints = {}  # noqa: RUF012

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise at_call(
                ValueError, " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise at_call(
                ValueError, "The Component distribution need to be an instance of torch.distributions.Distribution"
            )
        mixture_batch, component_batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for mine, theirs in zip(reversed(mixture_batch), reversed(component_batch), strict=False):
            if mine != 1 and theirs != 1 and mine != theirs:
                raise at_call(
                    ValueError,
                    f"`mixture_distribution.batch_shape` ({mixture_batch}) is not compatible with "
                    f"`component_distribution.batch_shape`({component_batch})",
                )
        of_mixture = mixture_distribution.logits.shape[-1]
        of_components = component_distribution.batch_shape[-1]
        if of_mixture != of_components:
            raise at_call(
                ValueError,
                f"`mixture_distribution component` ({of_mixture}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({of_components})",
            )
        self._num_component = of_mixture
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(component_batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = Size(batch_shape)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return self._become(new, batch_shape, self.event_shape)

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """Which of them."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The distributions."""
        return self._component_distribution

    @property
    def _weights(self) -> Tensor:
        return self._pad_mixture_dimensions(self.mixture_distribution.probs)

    @property
    def mean(self) -> Tensor:
        return (self._weights * self.component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        dim = -1 - self._event_ndims
        inside = (self._weights * self.component_distribution.variance).sum(dim)
        distance = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return inside + (self._weights * distance).sum(dim)

    def cdf(self, value: Tensor) -> Tensor:
        parts = self.component_distribution.cdf(self._pad(value))
        return (parts * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        parts = self.component_distribution.log_prob(self._pad(value))
        return (parts + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            dim = len(Size(sample_shape)) + len(self.batch_shape)
            which = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            which = which.reshape((*which.shape, *(1,) * (self._event_ndims + 1)))
            which = which.expand((*which.shape[: dim + 1], *self.event_shape))
            return drawn.gather(dim, which).squeeze(dim)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        more = len(self.batch_shape) - len(self.mixture_distribution.batch_shape)
        return x.reshape((*x.shape[:-1], *(1,) * more, *x.shape[-1:], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
