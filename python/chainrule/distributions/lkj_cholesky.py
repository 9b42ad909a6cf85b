"""The LKJ distribution of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..type_info import finfo
from . import constraints
from .beta import Beta
from .distribution import Distribution, broadcast_all


class LKJCholesky(Distribution):
    """Cholesky factors of random correlation matrices.

    Args:
        dim: the size of the matrices.
        concentration: 1 for all correlation matrices alike; the larger, the closer to the identity.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.LKJCholesky(2, 1.).log_prob(torch.eye(2))
    tensor(-0.6931)
    """

    arg_constraints = {"concentration": constraints.positive}  # noqa: RUF012
    support = constraints.corr_cholesky  # type: ignore[assignment]

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise at_call(ValueError, f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = _core.functions["arange"](
            -1, dim - 1, dtype=self.concentration.dtype, device=self.concentration.device
        ).clamp(min=0)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = Size(batch_shape)
        new.dim, new.concentration = self.dim, self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return self._become(new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Random matrices, row by row: a length, then a direction (the onion method)."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            noise = _core.functions["randn"](shape, dtype=y.dtype, device=y.device).tril(-1)
            direction = noise / noise.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)  # its length is 0
            rows = y.sqrt() * direction
            rest = (1 - (rows**2).sum(-1)).clamp(min=finfo(rows.dtype).tiny).sqrt()
            return rows + rest.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = _core.functions["arange"](2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        norm = 0.5 * less * math.log(math.pi) + _core.functions["mvlgamma"](alpha - 0.5, less) - alpha.lgamma() * less
        return (order * diagonal.log()).sum(-1) - norm
