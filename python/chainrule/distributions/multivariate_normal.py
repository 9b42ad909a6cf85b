"""The normal distribution of vectors."""

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


def batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """A product of matrices and vectors, with batches of both."""
    return _core.functions["matmul"](matrix, vector.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(factor: Tensor, difference: Tensor) -> Tensor:
    """d' M^-1 d, M being given by its Cholesky factor; the batch of d may be larger than that of M."""
    # Each dimension of d's batch is split where M's repeats, so that one solution with several right sides suffices.
    n = difference.size(-1)
    batch = difference.shape[:-1]
    dims = factor.dim() - 2
    extra = len(batch) - dims
    split = [*batch[:extra]]
    for mine, theirs in zip(factor.shape[:-2], batch[extra:], strict=True):
        split += [theirs // mine, mine]
    order = [*range(extra), *range(extra, len(split), 2), *range(extra + 1, len(split), 2)]
    moved = difference.reshape((*split, n)).permute((*order, len(split)))
    flat_factor = factor.reshape(-1, n, n)
    flat = moved.reshape(-1, flat_factor.size(0), n).permute(1, 2, 0)
    found = solve_triangular(flat_factor, flat, upper=False).pow(2).sum(-2).t()
    back = [0] * len(order)
    for position, dim in enumerate(order):
        back[dim] = position
    return found.reshape(moved.shape[:-1]).permute(back).reshape(batch)


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse of a matrix."""
    flipped = cholesky(precision.flip((-2, -1)))
    inverse = flipped.flip((-2, -1)).transpose(-2, -1)
    return solve_triangular(
        inverse,
        _core.functions["eye"](precision.shape[-1], dtype=precision.dtype, device=precision.device),
        upper=False,
    )


def half_log_det(factor: Tensor) -> Tensor:
    """The logarithm of the determinant of a Cholesky factor."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors. One of the three matrices is given.

    Args:
        loc: the mean.
        covariance_matrix: the covariance.
        precision_matrix: its inverse.
        scale_tril: its Cholesky factor.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector  # type: ignore[assignment]
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise at_call(ValueError, "loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix,
            "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        matrices = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(matrices) != 1:
            raise at_call(
                ValueError, "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = matrices.items()
        if matrix.dim() < 2:
            raise at_call(
                ValueError,
                f"{name}{' matrix' if name == 'scale_tril' else ''} must be at least two-dimensional, "
                "with optional leading batch dimensions",
            )
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MultivariateNormal, _instance)
        batch_shape = Size(batch_shape)
        new.loc = self.loc.expand((*batch_shape, *self.event_shape))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand((*batch_shape, *self.event_shape, *self.event_shape))
        return self._become(new, batch_shape, self.event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance matrix."""
        return self._unbroadcasted_scale_tril.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        inverse = _core.functions["cholesky_inverse"](self._unbroadcasted_scale_tril)
        return inverse.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + half_log_det(self._unbroadcasted_scale_tril)).expand(self._batch_shape)
