"""The von Mises distribution: angles."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property


class VonMises(Distribution):
    """A distribution of angles, of -pi to pi.

    Args:
        loc: the most likely angle.
        concentration: how narrow it is.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.VonMises(torch.tensor(0.), torch.tensor(1.)).log_prob(torch.tensor(0.))
    tensor(-1.0738)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.real  # type: ignore[assignment]

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(VonMises, _instance)
        new.loc, new.concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return self._become(new, batch_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        k = self.concentration
        log_bessel = _core.functions["special_i0e"](k).log() + k
        return k * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel

    @lazy_property
    def _proposal_r(self) -> Tensor:
        k = self.concentration.double()
        tau = 1 + (1 + 4 * k**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        return _core.functions["where"](k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Random angles, by Best and Fisher's rejection from a wrapped Cauchy distribution."""
        functions, shape = _core.functions, self._extended_shape(sample_shape)
        with no_grad():
            k, r = self.concentration.double(), self._proposal_r
            x = functions["empty"](shape, dtype=_core.float64, device=k.device)
            done = functions["zeros"](shape, dtype=_core.bool, device=k.device)
            while not done.all():
                u1, u2, u3 = functions["rand"]((3, *shape), dtype=_core.float64, device=k.device).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = functions["where"](accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + self.loc.double()) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        k = self.concentration
        return 1 - _core.functions["special_i1e"](k) / _core.functions["special_i0e"](k)
