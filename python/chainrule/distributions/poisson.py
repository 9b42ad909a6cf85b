"""The Poisson distribution."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from . import constraints
from .distribution import broadcast_all
from .exp_family import ExponentialFamily


class Poisson(ExponentialFamily):
    """The Poisson distribution.

    Args:
        rate: the mean.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Poisson(torch.tensor(4.)).mean
    tensor(4.)
    """

    arg_constraints = {"rate": constraints.nonnegative}  # noqa: RUF012
    support = constraints.nonnegative_integer  # type: ignore[assignment]

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return _core.functions["poisson"](self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp()
