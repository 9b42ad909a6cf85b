"""The normal distribution of vectors whose covariance is a diagonal plus a few columns' products."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..error_words import at_call
from ..linalg import cholesky, solve_triangular
from ..shapes import broadcast_shapes
from . import constraints
from .distribution import Distribution, lazy_property, standard_normal
from .multivariate_normal import batch_mahalanobis, batch_mv, half_log_det


def capacitance_tril(columns: Tensor, diagonal: Tensor) -> Tensor:
    """The Cholesky factor of I + W' D^-1 W, the matrix by which D + W W' is inverted."""
    size = columns.size(-1)
    product = columns.mT / diagonal.unsqueeze(-2) @ columns
    return cholesky(product + _core.functions["eye"](size, dtype=product.dtype, device=product.device))


def lowrank_log_det(diagonal: Tensor, capacitance: Tensor) -> Tensor:
    """The logarithm of the determinant of D + W W'."""
    return 2 * half_log_det(capacitance) + diagonal.log().sum(-1)


def lowrank_mahalanobis(columns: Tensor, diagonal: Tensor, difference: Tensor, capacitance: Tensor) -> Tensor:
    """d' (D + W W')^-1 d."""
    projected = batch_mv(columns.mT / diagonal.unsqueeze(-2), difference)
    return (difference.pow(2) / diagonal).sum(-1) - batch_mahalanobis(capacitance, projected)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with the covariance D + W W'.

    Args:
        loc: the mean.
        cov_factor: W, with few columns.
        cov_diag: the diagonal of D.
        validate_args: whether parameters and values are checked.

    >>> normal = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
    >>> normal.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector  # type: ignore[assignment]
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise at_call(ValueError, "loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise at_call(
                ValueError, "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise at_call(ValueError, f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise at_call(ValueError, f"cov_diag must be a batch of vectors with shape {event_shape}")
        broadcast = _core.functions["broadcast_tensors"]
        try:
            row, diagonal = broadcast([loc.unsqueeze(-1), cov_diag.unsqueeze(-1)])
            batch_shape = broadcast_shapes(row.shape[:-2], cov_factor.shape[:-2])
        except RuntimeError as error:
            raise at_call(
                ValueError,
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}",
            ) from error
        self.loc = row.squeeze(-1).expand((*batch_shape, -1))
        self.cov_diag = diagonal.squeeze(-1).expand((*batch_shape, -1))
        self.cov_factor = cov_factor.expand((*batch_shape, -1, -1))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        batch_shape = Size(batch_shape)
        new.loc, new.cov_diag = (v.expand((*batch_shape, *self.event_shape)) for v in (self.loc, self.cov_diag))
        new.cov_factor = self.cov_factor.expand((*batch_shape, *self.cov_factor.shape[-2:]))
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            new.__dict__[name] = self.__dict__[name]
        return self._become(new, batch_shape, self.event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    def _batched(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def variance(self) -> Tensor:
        """The variance."""
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance matrix."""
        # sqrt(D) chol(I + D^-1/2 W W' D^-1/2)
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = scaled @ scaled.mT + _core.functions["eye"](
            self._event_shape[0], dtype=scaled.dtype, device=scaled.device
        )
        return self._batched(root * cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        columns = self._unbroadcasted_cov_factor
        return self._batched(columns @ columns.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        half = solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._batched(self._unbroadcasted_cov_diag.reciprocal().diag_embed() - half.mT @ half)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_columns = standard_normal((*shape[:-1], *self.cov_factor.shape[-1:]), self.loc)
        of_diagonal = standard_normal(shape, self.loc)
        spread = batch_mv(self._unbroadcasted_cov_factor, of_columns)
        return self.loc + spread + self._unbroadcasted_cov_diag.sqrt() * of_diagonal

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        columns, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        distance = lowrank_mahalanobis(columns, diagonal, value - self.loc, self._capacitance_tril)
        log_det = lowrank_log_det(diagonal, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> Tensor:
        log_det = lowrank_log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (0.5 * (constant + log_det)).expand(self._batch_shape)
