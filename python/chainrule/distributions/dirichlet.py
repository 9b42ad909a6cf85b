"""The Dirichlet distribution: probabilities of several events."""

from __future__ import annotations

from typing import Any

from .._core import Size, Tensor
from ..error_words import at_call
from ..nn.functional import one_hot
from . import constraints
from .exp_family import ExponentialFamily
from .gamma_samples import sample_dirichlet


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution.

    Args:
        concentration: one number for each part, in the last dimension.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Dirichlet(torch.tensor([1., 3.])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {  # noqa: RUF012
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex  # type: ignore[assignment]
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise at_call(ValueError, "`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Dirichlet, _instance)
        batch_shape = Size(batch_shape)
        new.concentration = self.concentration.expand((*batch_shape, *self.event_shape))
        return self._become(new, batch_shape, self.event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return (a - 1.0).xlogy(value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        none = (self.concentration < 1).all(dim=-1)  # no mode inside: one of the corners
        corner = one_hot(mode.argmax(dim=-1), above.shape[-1]).to(mode)
        return corner.where(none.unsqueeze(-1), mode)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        total = a.sum(-1, True)
        return a * (total - a) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        parts = a.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma()
        return parts - ((a - 1.0) * a.digamma()).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
