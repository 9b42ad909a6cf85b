"""ExponentialFamily: distributions whose entropy and divergences follow from one function."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..autograd import grad
from .distribution import Distribution


class ExponentialFamily(Distribution):
    """A distribution with density exp(t(x) . n - F(n) + k(x)), n being its natural parameters.

    >>> isinstance(torch.distributions.Normal(0., 1.), torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        parameters = [p.detach()._as_leaf() for p in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        result = -self._mean_carrier_measure + normalizer
        gradients = grad(normalizer.sum(), parameters, create_graph=True)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            result = result - (parameter * gradient).reshape((*self._batch_shape, -1)).sum(-1)
        return result
