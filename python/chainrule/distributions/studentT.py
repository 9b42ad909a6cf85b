"""Student's t-distribution."""  # noqa: N999  (PyTorch's name for it)

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Size, Tensor
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution, broadcast_all, standard_normal


class StudentT(Distribution):
    """Student's t-distribution.

    Args:
        df: the degrees of freedom.
        loc: the centre.
        scale: the width.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.StudentT(torch.tensor(3.)).log_prob(torch.tensor(0.))
    tensor(-1.0009)
    """

    arg_constraints = {  # noqa: RUF012
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real  # type: ignore[assignment]
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        m = self.df.clone()
        some = self.df > 2
        m = _core.functions["where"](some, self.scale.pow(2) * self.df / (self.df - 2), m)
        m = m.masked_fill((self.df <= 2) & (self.df > 1), math.inf)
        return m.masked_fill(self.df <= 1, math.nan)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(StudentT, _instance)
        batch_shape = Size(batch_shape)
        new.df, new.loc, new.scale = (p.expand(batch_shape) for p in (self.df, self.loc, self.scale))
        new._chi2 = self._chi2.expand(batch_shape)
        return self._become(new, batch_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        y = x * _core.functions["rsqrt"](self._chi2.rsample(sample_shape) / self.df)
        return self.loc + self.scale * y

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        norm = norm + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - norm

    def entropy(self) -> Tensor:
        half = 0.5 * self.df
        beta = half.lgamma() + math.lgamma(0.5) - (0.5 * (self.df + 1)).lgamma()
        slope = 0.5 * (self.df + 1) * ((0.5 * (self.df + 1)).digamma() - half.digamma())
        return self.scale.log() + slope + 0.5 * self.df.log() + beta
