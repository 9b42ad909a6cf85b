"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from . import constraints
from .distribution import broadcast_all
from .gumbel import EULER
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform


def _moment(a: Tensor, b: Tensor, n: int) -> Tensor:
    """The mean of the n-th power."""
    fraction = 1 + n / a
    log_value = fraction.lgamma() + b.lgamma() - (fraction + b).lgamma()
    return b * log_value.exp()


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, similar to the beta distribution.

    Args:
        concentration1: often called alpha.
        concentration0: often called beta.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Kumaraswamy(torch.tensor(1.), torch.tensor(1.)).mean
    tensor(0.5000)
    """

    arg_constraints = {  # noqa: RUF012
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval  # type: ignore[assignment]
    has_rsample = True  # type: ignore[assignment]

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        full = _core.functions["full_like"]
        base = Uniform(full(self.concentration0, 0), full(self.concentration0, 1), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-b).log1p() - (-a * b).log1p()
        return log_mode.masked_fill((a < 1) | (b < 1), float("nan")).exp()

    @property
    def variance(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        t1, t0 = 1 - a.reciprocal(), 1 - b.reciprocal()
        harmonic = (b + 1).digamma() + EULER
        return t0 + t1 * harmonic - a.log() - b.log()
