"""The Wishart distribution: covariance matrices of normal samples."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..error_words import at_call
from ..linalg import cholesky
from ..shapes import broadcast_shapes
from ..type_info import finfo
from ..user_warning import warn_user
from . import constraints
from .chi2 import Chi2
from .distribution import lazy_property
from .exp_family import ExponentialFamily
from .multivariate_normal import _precision_to_scale_tril, half_log_det


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return (x.unsqueeze(-1) - _core.functions["arange"](p, dtype=x.dtype, device=x.device).div(2)).digamma().sum(-1)


class Wishart(ExponentialFamily):
    """Random positive definite matrices. One of the three matrices is given.

    Args:
        df: the degrees of freedom, more than the size of the matrices less 1.
        covariance_matrix: the covariance.
        precision_matrix: its inverse.
        scale_tril: its Cholesky factor.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Wishart(torch.tensor(3.), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {
            "covariance_matrix": covariance_matrix,
            "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        matrices = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(matrices) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = matrices.items()
        if matrix.dim() < 2:
            raise at_call(
                ValueError, "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        if not isinstance(df, Tensor):
            df = _core.functions["tensor"](df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = broadcast_shapes(matrix.shape[:-2], df.shape)
        event_shape = matrix.shape[-2:]
        self.df = df.expand(batch_shape)
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        self.arg_constraints = {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(event_shape[-1] - 1),
        }
        if self.df.le(event_shape[-1] - 1).any():
            raise at_call(ValueError, f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if self.df.lt(event_shape[-1]).any():
            warn_user("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        self._dist_chi2 = self._chi2(batch_shape)

    def _chi2(self, batch_shape: Any) -> Chi2:
        size = self._event_shape[-1]
        arange = _core.functions["arange"](
            size, dtype=self._unbroadcasted_scale_tril.dtype, device=self._unbroadcasted_scale_tril.device
        )
        return Chi2(df=self.df.unsqueeze(-1) - arange.expand((*batch_shape, -1)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = Size(batch_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand((*batch_shape, *self.event_shape))
        new.df = self.df.expand(batch_shape)
        new.arg_constraints = self.arg_constraints
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand((*batch_shape, *self.event_shape))
        self._become(new, batch_shape, self.event_shape)
        new._dist_chi2 = new._chi2(batch_shape)
        return new

    def _batched(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance matrix."""
        return self._batched(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        return self._batched(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        return self._batched(_core.functions["cholesky_inverse"](self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.df.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = (self.df - self.covariance_matrix.shape[-1] - 1).masked_fill(
            self.df <= self.covariance_matrix.shape[-1] + 1, float("nan")
        )
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view((*self._batch_shape, 1, 1)) * (matrix.pow(2) + products)

    def _bartlett_sampling(self, sample_shape: Any = ()) -> Tensor:
        size = self._event_shape[-1]
        noise = (
            self._dist_chi2.rsample(sample_shape)
            .clamp(min=finfo(self._unbroadcasted_scale_tril.dtype).tiny)
            .sqrt()
            .diag_embed()
        )
        i, j = _core.functions["tril_indices"](size, size, offset=-1)
        below = _core.functions["randn"](
            (*Size(sample_shape), *self._batch_shape, size * (size - 1) // 2), dtype=noise.dtype
        )
        noise[..., i, j] = below
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """Random matrices; singular ones are drawn again, up to `max_try_correction` times."""
        dims = [-1 - i for i in range(len(self._batch_shape))]

        def checked(values: Tensor) -> Tensor:
            good = self.support.check(values)
            return good.amax(dims) if dims else good

        sample = self._bartlett_sampling(sample_shape)
        again = checked(sample)  # PyTorch 2.13 begins with the good ones, so its stream has each of them twice
        if again.any():
            warn_user("Singular sample detected.")
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            drawn = self._bartlett_sampling(Size((int(again.sum()),)) if again.dim() else Size(()))
            sample[again] = drawn if again.dim() else drawn.unsqueeze(0)
            singular = ~self.support.check(drawn)
            again = again.masked_scatter(again, singular.amax(dims) if dims else singular)
        return sample

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, size = self.df, self._event_shape[-1]
        solved = _core.functions["cholesky_solve"](value, self._unbroadcasted_scale_tril)
        log_det = _core.functions["slogdet"](value)[1]
        constant = -nu * (size * math.log(2.0) / 2 + half_log_det(self._unbroadcasted_scale_tril))
        constant = constant - _core.functions["mvlgamma"](nu / 2, size)
        return constant + (nu - size - 1) / 2 * log_det - solved.diagonal(dim1=-2, dim2=-1).sum(-1) / 2

    def entropy(self) -> Tensor:
        nu, size = self.df, self._event_shape[-1]
        result = (size + 1) * (size * math.log(2.0) / 2 + half_log_det(self._unbroadcasted_scale_tril))
        result = result + _core.functions["mvlgamma"](nu / 2, size)
        return result - (nu - size - 1) / 2 * _mvdigamma(nu / 2, size) + nu * size / 2

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        size = self._event_shape[-1]
        half = y + (size + 1) / 2
        log_det = _core.functions["slogdet"](-2 * x)[1]
        return half * (-log_det + math.log(2.0) * size) + _core.functions["mvlgamma"](half, size)
